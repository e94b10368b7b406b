//! What somebody wants to know.

use bitflags::bitflags;

bitflags! {
    /// What is told of statements and sessions; what nobody wants costs one load.
    #[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
    pub struct Wants: u32 {
        /// Counters of statements, latencies and errors.
        const COUNTS = 1;
        /// Figures for each digest.
        const DIGESTS = 1 << 1;
        /// Every statement.
        const STATEMENTS = 1 << 2;
        /// Statements that take as long as [`Hub::slow`](crate::Hub::slow) says, or longer.
        const SLOW = 1 << 3;
        /// Logins, failed ones too, changes of user, and ends of sessions.
        const SESSIONS = 1 << 4;
        /// Parameters of prepared statements.
        const PARAMETERS = 1 << 5;
        /// On which units a statement ran, and when.
        const RUNS = 1 << 6;
        /// When a statement came how far.
        const PHASES = 1 << 11;
        /// The texts that units were sent.
        const RUN_TEXTS = 1 << 7;
        /// Statements that are sampled for a trace, with all that belongs to it ([`Wants::TRACED`]).
        const TRACES = 1 << 8;
        /// Sessions wait while as much is under way as may be; otherwise what comes then is dropped, and counted.
        const WAIT = 1 << 9;
        /// An answer is held back until its record has been written.
        const CONFIRMED = 1 << 10;
    }
}

impl Wants {
    /// What workers keep by themselves: it goes into no record.
    pub const KEPT: Self = Self::COUNTS.union(Self::DIGESTS);

    /// What belongs to a statement that is traced.
    pub const TRACED: Self =
        Self::TRACES.union(Self::PARAMETERS).union(Self::PHASES).union(Self::RUNS).union(Self::RUN_TEXTS);

    /// Whether the time of a statement must be taken.
    #[inline]
    pub const fn timed(self) -> bool {
        self.intersects(
            Self::COUNTS.union(Self::DIGESTS).union(Self::STATEMENTS).union(Self::SLOW).union(Self::TRACES),
        )
    }

    /// Whether facts of a statement must be kept until it is over, beyond what is counted.
    #[inline]
    pub const fn noted(self) -> bool {
        self.intersects(Self::DIGESTS.union(Self::STATEMENTS).union(Self::SLOW).union(Self::TRACES))
    }

    /// Whether there may be a record of a statement.
    #[inline]
    pub const fn recorded(self) -> bool {
        self.intersects(Self::STATEMENTS.union(Self::SLOW).union(Self::TRACES))
    }
}
