# numerics script silu-result
# y = mul.rn(x, r), r = rcp.approx(d), d = add.rn(1, e), is within Phi of x / (1 + E), where e is within
# e^(43 dt) (1 + 2.5 * 2^-23) - 1 of E = e^-x, from x = -43 to 41.
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
  /\ E in [1b-60,1154257682673181b12]
  # silu-power
  /\ e -/ E in [-2028981787280837b-69,2028981787280837b-69]
  # rcp.approx, documented
  /\ r -/ (1 / d) in [-3b-24,3b-24]
  ->
  y -/ (x * (1 / (1 + E))) in [-2204911243288747b-69,2204911243288747b-69]
}
