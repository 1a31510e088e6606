# numerics script rope-tables
# The same against cosine and sine themselves, which the tables round once, for |x| <= 1: at most 5 * 2^-25.
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
x1 = rn16(x1_);
x2 = rn16(x2_);
c = rn32(c_);
s = rn32(s_);
t = rn32((x2 * s));
r = rn32(((x1 * c) - t));
{
  # x1
  |x1| in [0,1]
  # x2
  /\ |x2| in [0,1]
  # cosine
  /\ |c_| in [0,1]
  # sine
  /\ |s_| in [0,1]
  ->
  (r - ((x1 * c_) - (x2 * s_))) in [-5b-25,5b-25]
}
