# numerics script rmsnorm-prefix
# v = add.rn(div.rn(sum, n), eps) is within g_(h+2) of V = mean + eps, where the sum is within g_h of S:
# h = 264 roundings at most in 65536 columns.
@rn32 = float<24,-149,ne>;
Sh = rn32(S_);
mh = rn32((Sh / n));
vh = rn32((mh + eps));
V = ((S / n) + eps);
{
  # a sum of squares that is not 0
  S in [1b-48,4190209b26]
  # contract: columns
  /\ n in [1,65536]
  # contract: eps
  /\ eps in [1b-30,1]
  # the computed sum
  /\ Sh -/ S in [-1161102549607181b-66,1161102549607181b-66]
  ->
  vh -/ V in [-292474730127153b-64,292474730127153b-64]
}
