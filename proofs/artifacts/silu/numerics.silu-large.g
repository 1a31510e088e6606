# numerics script silu-large
# The same for larger x, where E is below 2^-60 and ex2 may flush: d is 1, and y is within Phi of x / (1 + E)
# with Phi of no error in the denominator.
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
x = rn16(x_);
e = rn32(e_);
d = rn32((1 + e));
r = rn32(r_);
y = rn32((x * r));
{
  # x: finite, not 0
  |x| in [1b-24,65504]
  # e^-x
  /\ E in [0,1b-60]
  # silu-power, or flushed to 0
  /\ e in [0,1b-59]
  # rcp.approx, documented
  /\ r -/ (1 / d) in [-3b-24,3b-24]
  ->
  y -/ (x * (1 / (1 + E))) in [-175921877221377b-69,175921877221377b-69]
}
