# negative control of script product-rounded
# The product of two binary16 numbers is exact in binary32: mma, first fma, squares of a row.
# (The control claims that it is exact in binary16.)
# false at a_ = 1025b-10
# false at b_ = 1025b-10
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
a = rn16(a_);
b = rn16(b_);
p = rn32((a * b));
{
  # a: finite
  |a| in [0,65504]
  # b: finite
  /\ |b| in [0,65504]
  ->
  (rn16(p) - (a * b)) in [0,0]
}
