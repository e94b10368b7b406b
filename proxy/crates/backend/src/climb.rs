//! Finds the number of active connections at which a server gives the most.
//!
//! Throughput over the number of active connections rises steeply, bends where the server's processors are busy, and
//! falls slowly behind. The bend is what is looked for, by trial: the limit in force and a neighbour take turns for some
//! windows, and what was given back under each is compared. More must give clearly more to stay; less stays when it
//! gives as much. So noise moves the limit to and fro on the plateau, where it does not matter, and not off it.
//! Neighbours are twice as many and half as many while the bend is far, then a quarter more and a fifth less.
//!
//! Only differences between windows that follow each other count: what a statement costs, how long a transaction is and
//! how busy the machine is may change at any time. Of latency nothing is asked: it rises with the queue of a busy server
//! and with locks alike, and the one wants fewer connections, the other more.

use std::time::Duration;

/// Where it begins; neither end is far from it.
const FIRST: u32 = 16;
/// The server has something to do while an answer is on its way.
const LEAST: u32 = 2;
/// Turns of one comparison: the limit in force and the neighbour, so that a steady drift favours neither.
const TURNS: [bool; 8] = [false, true, true, false, true, false, false, true];
/// A turn lasts so long, and on until so much was given back, but not longer than the last.
const TURN: Duration = Duration::from_millis(40);
const ENOUGH: u64 = 100;
const TURN_MAX: Duration = Duration::from_millis(400);
/// More connections have to give so much more.
const GAIN: f64 = 1.03;
/// Fewer may give so little less.
const LOSS: f64 = 0.985;
/// Halfway through, a difference like this is enough.
const CLEAR: f64 = 1.15;
/// So many moves in one direction say that the bend is far.
const FAR: u32 = 3;
/// Turns to rest after a comparison that moved nothing; doubled each time up to the last.
const REST: u32 = 4;
const REST_MAX: u32 = 32;

/// The search, fed with what was given back in each tick while sessions wait.
#[derive(Debug)]
pub(crate) struct Climb {
    most: u32,
    /// The limit in force.
    base: u32,
    /// Its neighbour.
    probe: u32,
    /// Which way the neighbour is.
    upwards: bool,
    /// Neighbours are far from it; and whether the one on the other side was no better.
    coarse: bool,
    cornered: bool,
    /// Moves since the last comparison that moved nothing.
    moves: u32,
    /// Turns of the comparison that are over.
    turn: usize,
    /// What the limit and the neighbour have given.
    sums: [Sum; 2],
    current: Sum,
    /// The first tick after a change shows what was before it.
    settling: bool,
    /// Turns left to rest, and how many the next rest has.
    resting: u32,
    rest: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    time: Duration,
    given: u64,
}

impl Sum {
    fn rate(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts of some seconds")]
        let given = self.given as f64;
        given / self.time.as_secs_f64().max(1e-9)
    }

    fn is_full(self) -> bool {
        self.time >= TURN && (self.given >= ENOUGH || self.time >= TURN_MAX)
    }
}

impl Climb {
    /// A search up to `most` connections, at least 1.
    pub(crate) fn new(most: u32) -> Self {
        let base = FIRST.min(most);
        let mut climb = Self {
            most,
            base,
            probe: base,
            upwards: false,
            coarse: true,
            cornered: false,
            moves: 0,
            turn: 0,
            sums: [Sum::default(); 2],
            current: Sum::default(),
            settling: true,
            resting: 0,
            rest: REST,
        };
        climb.aim(false);
        climb
    }

    /// What is in force now, the limit or its neighbour.
    pub(crate) fn limit(&self) -> u32 {
        if self.resting == 0 && TURNS[self.turn] { self.probe } else { self.base }
    }

    /// So many connections were given back in a tick, during all of which sessions waited.
    pub(crate) fn feed(&mut self, time: Duration, given: u64) {
        if std::mem::take(&mut self.settling) {
            return;
        }
        self.current.time += time;
        self.current.given += given;
        if !self.current.is_full() {
            return;
        }
        let sum = std::mem::take(&mut self.current);
        let before = self.limit();
        if self.resting > 0 {
            self.resting -= 1;
        } else {
            let tried = &mut self.sums[usize::from(TURNS[self.turn])];
            tried.time += sum.time;
            tried.given += sum.given;
            self.turn += 1;
            self.decide();
        }
        self.settling = self.limit() != before;
    }

    /// Nobody waited for a while: the turn begins anew.
    pub(crate) fn pause(&mut self) {
        self.current = Sum::default();
        self.settling = true;
    }

    /// Nothing comes back though others wait: those in there are held up by something, and may be by one who waits.
    pub(crate) fn open_up(&mut self) {
        self.base = (self.limit() * 2).min(self.most);
        self.rest = REST;
        (self.coarse, self.cornered, self.moves) = (true, false, 0);
        self.aim(false);
        self.pause();
    }

    /// Ends the comparison when its turns are over, or earlier where it is clear.
    fn decide(&mut self) {
        let [base, probe] = self.sums.map(Sum::rate);
        let clear = self.turn == TURNS.len() / 2 && (probe > base * CLEAR || base > probe * CLEAR);
        if !clear && self.turn < TURNS.len() {
            return;
        }
        if self.probe != self.base && probe >= base * if self.upwards { GAIN } else { LOSS } {
            self.base = self.probe;
            self.moves += 1;
            self.rest = REST;
            self.cornered = false;
            self.coarse |= self.moves >= FAR;
            self.aim(self.upwards);
            return;
        }
        self.moves = 0;
        if !self.coarse {
            self.resting = self.rest;
            self.rest = (self.rest * 2).min(REST_MAX);
        } else if std::mem::replace(&mut self.cornered, true) {
            (self.coarse, self.cornered) = (false, false);
        }
        self.aim(!self.upwards);
    }

    /// Begins a comparison with the neighbour on one side, or on the other where there is none.
    fn aim(&mut self, upwards: bool) {
        let (up, down) = match self.coarse {
            true => (self.base, self.base / 2),
            false => ((self.base / 4).max(1), (self.base / 5).max(1)),
        };
        let more = (self.base + up).min(self.most);
        let less = (self.base - down).max(LEAST.min(self.base));
        self.upwards = if upwards { more != self.base } else { less == self.base };
        self.probe = if self.upwards { more } else { less };
        self.turn = 0;
        self.sums = [Sum::default(); 2];
    }
}

#[cfg(test)]
mod tests;
