# numerics script rmsnorm-result
# y = mul.rn(mul.rn(x, r), w), r = rsqrt.approx(v), is within Phi of x w / sqrt(mean + eps), where the sum is
# within g_h: everything behind the sum of squares, for up to 65536 columns.
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
Sh = rn32(S_);
mh = rn32((Sh / n));
vh = rn32((mh + eps));
V = ((S / n) + eps);
x = rn16(x_);
w = rn16(w_);
r = rn32(r_);
y = rn32((rn32((x * r)) * w));
{
  # a sum of squares that is not 0
  S in [1b-48,4190209b26]
  # contract: columns
  /\ n in [1,65536]
  # contract: eps
  /\ eps in [1b-30,1]
  # the computed sum
  /\ Sh -/ S in [-1161102549607181b-66,1161102549607181b-66]
  # x: finite, not 0
  /\ |x| in [1b-24,65504]
  # w: finite, not 0
  /\ |w| in [1b-24,65504]
  # rsqrt.approx, documented
  /\ r -/ (1 / sqrt(vh)) in [-1206709641626017b-73,1206709641626017b-73]
  ->
  y -/ ((x * (1 / sqrt(V))) * w) in [-603182392632201b-66,603182392632201b-66]
}
