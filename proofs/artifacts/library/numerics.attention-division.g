# numerics script attention-division
# y = mul.rn(O, r), r = rcp.approx(L), is within (1 + 1.5 * 2^-23)(1 + u) - 1 of O / L: attention's end.
@rn32 = float<24,-149,ne>;
O = rn32(O_);
L = rn32(L_);
r = rn32(r_);
y = rn32((O * r));
{
  # the weighted sum, not 0
  |O| in [1b-60,1b60]
  # the sum of weights, the largest of them about 1
  /\ L in [1b-1,1b40]
  # rcp.approx, documented
  /\ r -/ (1 / L) in [-3b-24,3b-24]
  ->
  y -/ (O * (1 / L)) in [-67108867b-48,67108867b-48]
}
