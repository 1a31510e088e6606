# negative control of script silu-argument-rounded
# t = mul.rn(x, -L) is within dt of x c, where c is -log2 e and L is within 1.34e-8 of log2 e.
# false at c = -12690079443047b-43
# false at x_ = 729b-9
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
x = rn16(x_);
t = rn32((x * -12102203b-23));
{
  # x: finite, not 0
  |x| in [1b-24,65504]
  # -log2 e
  /\ c in [-3b-1,-1]
  # silu-log2e
  /\ -12102203b-23 -/ c in [-253118843481813b-74,253118843481813b-74]
  ->
  t -/ (x * c) in [-2068528148117243b-75,2068528148117243b-75]
}
