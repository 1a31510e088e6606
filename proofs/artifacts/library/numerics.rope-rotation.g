# numerics script rope-rotation
# fma.rn(x1, c, -mul.rn(x2, s)) for tables as they are: the error is at most the contract's E where that is
# largest.
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
x1 = rn16(x1_);
x2 = rn16(x2_);
c = rn32(c_);
s = rn32(s_);
t = rn32((x2 * s));
r = rn32(((x1 * c) - t));
{
  # x1: finite
  |x1| in [0,65504]
  # x2: finite
  /\ |x2| in [0,65504]
  # table
  /\ |c| in [0,1]
  # table
  /\ |s| in [0,1]
  ->
  (r - ((x1 * c) - (x2 * s))) in [-103028885503b-43,103028885503b-43]
}
