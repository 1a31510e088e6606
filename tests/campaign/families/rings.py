"""Random rings of stages in shared memory, filled by stores or asynchronous copies, most with a mistake somewhere.

What may be wrong: a barrier or a commit that is missing, a wait too lax, a stage or a guard off by one, a prologue one
stage short. Behind the loop there is at times another exchange through the same memory.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.campaign.families.random_kernels import over_two_buffers
from tests.campaign.kernel import Kernel

THREADS = 32
HEAD = """.version 7.8
.target sm_89
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)
{
.reg .pred %p<2>;
.reg .b32 %r<12>;
.reg .b64 %d<3>;
.shared .align 16 .b8 s[640];
ld.param.u64 %d0, [x];
ld.param.u32 %r1, [n];
mov.u32 %r0, %tid.x;
mov.u32 %r2, s;
mad.lo.u32 %r3, %r0, 4, %r2;
mul.wide.u32 %d1, %r0, 4;
add.u64 %d1, %d0, %d1;
"""


@dataclass
class _Ring:
    random: random.Random
    doubt: float
    lines: list[str] = field(default_factory=list)

    def put(self, *texts: str) -> None:
        self.lines += [text + ";" for text in texts]

    def wrong(self) -> bool:
        return self.random.random() < self.doubt

    def about(self, value: int) -> int:
        """The number, or one beside it."""
        return max(0, value + self.random.choice((-1, 1))) if self.wrong() else value

    def perhaps(self, text: str) -> None:
        """The statement, unless it is forgotten."""
        if not self.wrong():
            self.put(text)

    def fill(self, copied: bool, stage: str) -> None:
        self.put(f"mad.lo.u32 %r4, {stage}, {4 * THREADS}, %r3")
        self.put("cp.async.ca.shared.global [%r4], [%d1], 4" if copied else "st.shared.u32 [%r4], %r0")

    def write(self) -> None:
        pick = self.random
        stages, copied = pick.choice((2, 3, 4)), pick.random() < 0.6
        ahead = pick.randrange(1, stages)
        mate = pick.choice(("xor.b32 %r5, %r0, 1", "sub.u32 %r5, 31, %r0", "and.b32 %r5, %r0, 28", "mov.u32 %r5, %r0"))
        for stage in range(self.about(ahead)):
            self.fill(copied, str(stage))
            if copied:
                self.perhaps("cp.async.commit_group")
        self.put(mate, "mad.lo.u32 %r5, %r5, 4, %r2", "mov.u32 %r6, 0")
        self.lines.append("L:")
        self.put("setp.ge.u32 %p0, %r6, %r1", "@%p0 bra OUT")
        if copied:
            self.put(f"cp.async.wait_group {self.about(ahead - 1)}")
        self.perhaps("bar.sync 0")
        early = pick.random() < 0.5
        if early:
            self.next_stage(copied, stages, ahead)
        self.put(f"rem.u32 %r7, %r6, {stages}", f"mad.lo.u32 %r7, %r7, {4 * THREADS}, %r5", "ld.shared.u32 %r8, [%r7]")
        if not early:
            self.next_stage(copied, stages, ahead)
        self.put("add.u32 %r6, %r6, 1", "bra L")
        self.lines.append("OUT:")
        if copied:
            self.perhaps("cp.async.wait_all")
        self.perhaps("bar.sync 0")
        if pick.random() < 0.5:
            self.put("st.shared.u32 [%r3], %r0")
            self.perhaps("bar.sync 0")
            self.put("ld.shared.u32 %r8, [%r5]")

    def next_stage(self, copied: bool, stages: int, ahead: int) -> None:
        """Fill the stage that is wanted `ahead` rounds later."""
        guarded = self.random.random() < 0.6
        self.put(f"add.u32 %r9, %r6, {self.about(ahead)}")
        if guarded:
            self.put("setp.ge.u32 %p1, %r9, %r1", "@%p1 bra SKIP")
        self.put(f"rem.u32 %r9, %r9, {stages}")
        self.fill(copied, "%r9")
        if guarded:
            self.lines.append("SKIP:")
        if copied:
            self.perhaps("cp.async.commit_group")


def generate(seed: int) -> Kernel:
    """The kernel of a seed."""
    pick = random.Random(seed)
    ring = _Ring(pick, pick.choice((0.0, 0.1, 0.2)))
    ring.write()
    text = HEAD + "\n".join(ring.lines) + "\nret;\n}\n"
    return over_two_buffers("rings", text, (THREADS, 1, 1), (1, 1, 1), seed)
