//! From the workers to the one thread that writes.
//!
//! Each worker fills a buffer of its own. Full, or after a moment ([`Outlet::hand_over`]), it goes into the worker's line
//! as a [`Batch`], under a lock that is taken once for hundreds of records. The collector takes all lines in turn, and
//! gives emptied buffers back. As many batches as [`Capacity`] says may wait for each worker; then sessions wait, or
//! what they tell is dropped and counted, as [`Wants::WAIT`] says.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex};

use crate::count::Counts;
use crate::event::{Event, Head, Trace};
use crate::record;
use crate::sample::{Choice, Sampler, Samplers};
use crate::wants::Wants;

/// How much may be under way.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Capacity {
    /// Bytes of a batch.
    pub batch: usize,
    /// Batches of one worker that wait.
    pub batches: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Self { batch: 128 * 1024, batches: 32 }
    }
}

/// What is wanted, and where records of all workers go.
#[derive(Debug)]
pub struct Hub {
    capacity: Capacity,
    began: SystemTime,
    wants: AtomicU32,
    slow_ns: AtomicU64,
    text_limit: AtomicU64,
    samplers: Samplers,
    // Locked when a worker begins, and for each round of the collector.
    lines: Mutex<Vec<Arc<Line>>>,
    stirred: Mutex<bool>,
    stir: Condvar,
}

/// The batches of one worker.
#[derive(Debug, Default)]
struct Line {
    counts: Arc<Counts>,
    inner: Mutex<Inner>,
    records: AtomicU64,
    bytes: AtomicU64,
    dropped: AtomicU64,
    waits: AtomicU64,
    /// The last record that has been written.
    confirmed: AtomicU64,
}

#[derive(Debug, Default)]
struct Inner {
    batches: VecDeque<Batch>,
    spare: Vec<Vec<u8>>,
    /// Sessions that wait for room, or for their records to be written.
    wakers: Vec<Waker>,
}

/// Records of one worker, in the order in which they were told.
#[derive(Debug)]
pub struct Batch {
    worker: u16,
    /// The number of its last record.
    last: u64,
    bytes: Vec<u8>,
}

/// What has gone through so far.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Flow {
    /// Records that workers have written down.
    pub records: u64,
    /// Their bytes, in the form in which they wait.
    pub bytes: u64,
    /// Records that were dropped since too much was under way.
    pub dropped: u64,
    /// How often a session waited for room.
    pub waits: u64,
}

/// The number of a record that a session may wait for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Ticket(u64);

impl Hub {
    /// Nothing is wanted yet.
    pub fn new(capacity: Capacity) -> Arc<Self> {
        Arc::new(Self {
            capacity,
            began: SystemTime::now(),
            wants: AtomicU32::new(0),
            slow_ns: AtomicU64::new(0),
            text_limit: AtomicU64::new(0),
            samplers: Samplers::default(),
            lines: Mutex::default(),
            stirred: Mutex::new(false),
            stir: Condvar::new(),
        })
    }

    /// When its process began to number records, which tells them from those of another process.
    pub const fn began(&self) -> SystemTime {
        self.began
    }

    /// What is to be told.
    #[inline]
    pub fn wants(&self) -> Wants {
        Wants::from_bits_truncate(self.wants.load(Ordering::Relaxed))
    }

    /// From which time on a statement is slow ([`Wants::SLOW`]).
    #[inline]
    pub fn slow(&self) -> Duration {
        Duration::from_nanos(self.slow_ns.load(Ordering::Relaxed))
    }

    /// Bytes of a statement's text that are told; the rest is cut.
    #[inline]
    pub fn text_limit(&self) -> usize {
        usize::try_from(self.text_limit.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    /// Sinks want these from now on, of all sessions; what workers keep by themselves stays as it was.
    pub fn want(&self, wants: Wants, slow: Duration, text_limit: usize) {
        let slow_ns = u64::try_from(slow.as_nanos()).unwrap_or(u64::MAX);
        self.slow_ns.store(slow_ns, Ordering::Relaxed);
        self.text_limit.store(text_limit as u64, Ordering::Relaxed);
        self.change(|before| (before & Wants::KEPT) | (wants - Wants::KEPT));
        // Who waits may not have to any more.
        self.lines.lock().iter().for_each(|line| line.wake());
    }

    /// Statements are chosen so for traces from now on, where those are wanted ([`Wants::TRACES`]).
    pub fn sample(&self, sampler: Sampler) {
        self.samplers.set(sampler);
    }

    /// Workers keep these by themselves from now on, or do not any more ([`Wants::KEPT`]).
    pub fn keep(&self, kept: Wants, on: bool) {
        let kept = kept & Wants::KEPT;
        self.change(|before| if on { before | kept } else { before - kept });
    }

    fn change(&self, change: impl Fn(Wants) -> Wants) {
        let change = |bits| Some(change(Wants::from_bits_truncate(bits)).bits());
        // Gives the bits there were; it is never refused.
        let _ = self.wants.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
    }

    /// What has gone through, over all workers.
    pub fn flow(&self) -> Flow {
        self.lines.lock().iter().fold(Flow::default(), |sum, line| Flow {
            records: sum.records + line.records.load(Ordering::Relaxed),
            bytes: sum.bytes + line.bytes.load(Ordering::Relaxed),
            dropped: sum.dropped + line.dropped.load(Ordering::Relaxed),
            waits: sum.waits + line.waits.load(Ordering::Relaxed),
        })
    }

    /// What each worker has counted, by its number; those that have ended, too.
    pub fn counts(&self) -> Vec<Arc<Counts>> {
        self.lines.lock().iter().map(|line| Arc::clone(&line.counts)).collect()
    }

    /// For one more worker.
    pub fn outlet(self: &Arc<Self>) -> Outlet {
        let line = Arc::new(Line::default());
        let mut lines = self.lines.lock();
        let worker = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        lines.push(Arc::clone(&line));
        Outlet {
            hub: Arc::clone(self),
            line,
            worker,
            number: Cell::default(),
            buffer: RefCell::default(),
            stirred: Cell::default(),
            choice: Choice::default(),
        }
    }

    /// The end at which records are read; there should be one.
    pub fn collector(self: &Arc<Self>) -> Collector {
        Collector { hub: Arc::clone(self) }
    }

    /// Wakes the collector, whether there is something to read or not.
    pub fn stir(&self) {
        *self.stirred.lock() = true;
        self.stir.notify_one();
    }
}

/// A worker's end. Not shared between threads.
pub struct Outlet {
    hub: Arc<Hub>,
    line: Arc<Line>,
    worker: u16,
    /// Of the last record.
    number: Cell<u64>,
    buffer: RefCell<Vec<u8>>,
    /// Woken when something is in the buffer that was empty.
    stirred: Cell<Option<Waker>>,
    choice: Choice,
}

impl Outlet {
    /// What is wanted, and by which terms.
    #[inline]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// The trace of a statement that begins, if it is to be exported or the client named one: `parent`. Asked once of each.
    pub fn trace(&self, parent: Option<Trace>) -> Option<Trace> {
        self.choice.trace(&self.hub.samplers, parent)
    }

    /// What the worker counts.
    #[inline]
    pub fn counts(&self) -> &Arc<Counts> {
        &self.line.counts
    }

    /// Writes an event down; its number is set here. Nothing when it was dropped, since too much is under way and nobody
    /// is to wait.
    pub fn put(&self, mut event: Event<'_>) -> Option<Ticket> {
        let mut buffer = self.buffer.borrow_mut();
        // Where sessions wait they do so when they have told something, so that this grows by one record of each.
        if buffer.len() >= self.hub.capacity.batch
            && !self.line_up(&mut buffer, false)
            && !self.hub.wants().contains(Wants::WAIT)
        {
            count(&self.line.dropped, 1);
            return None;
        }
        let number = self.number.get() + 1;
        self.number.set(number);
        head_mut(&mut event).record = (self.worker, number);
        let before = buffer.len();
        record::write(&event, &mut buffer);
        count(&self.line.records, 1);
        count(&self.line.bytes, (buffer.len() - before) as u64);
        if before == 0
            && let Some(waker) = self.stirred.take()
        {
            waker.wake();
        }
        if buffer.len() >= self.hub.capacity.batch || self.hub.wants().contains(Wants::CONFIRMED) {
            self.line_up(&mut buffer, false);
        }
        Some(Ticket(number))
    }

    /// Lets the collector have what is in the buffer, if there is room in the line.
    pub fn hand_over(&self) {
        let mut buffer = self.buffer.borrow_mut();
        if !buffer.is_empty() {
            self.line_up(&mut buffer, false);
        }
    }

    /// Puts the buffer into the line, if there is room for it or there must be.
    fn line_up(&self, buffer: &mut Vec<u8>, last: bool) -> bool {
        let mut inner = self.line.inner.lock();
        if inner.batches.len() >= self.hub.capacity.batches && !last {
            return false;
        }
        let empty = inner.spare.pop().unwrap_or_default();
        let bytes = std::mem::replace(buffer, empty);
        inner.batches.push_back(Batch { worker: self.worker, last: self.number.get(), bytes });
        drop(inner);
        self.hub.stir();
        true
    }

    /// Whether as much is under way as may be, so that a session should wait by [`Self::poll_room`].
    #[inline]
    pub fn is_full(&self) -> bool {
        self.buffer.borrow().len() >= self.hub.capacity.batch
    }

    /// Ready when there is room again, or when nobody is to wait any more.
    pub fn poll_room(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut inner = self.line.inner.lock();
        if inner.batches.len() < self.hub.capacity.batches || !self.hub.wants().contains(Wants::WAIT) {
            return Poll::Ready(());
        }
        inner.wakers.push(cx.waker().clone());
        count(&self.line.waits, 1);
        Poll::Pending
    }

    /// Ready when a record has been written, or when nobody is to wait any more.
    pub fn poll_confirmed(&self, ticket: Ticket, cx: &mut Context<'_>) -> Poll<()> {
        let confirmed = || self.line.confirmed.load(Ordering::Acquire) >= ticket.0;
        if confirmed() || !self.hub.wants().contains(Wants::CONFIRMED) {
            return Poll::Ready(());
        }
        let mut inner = self.line.inner.lock();
        // It may have been written since.
        if confirmed() {
            return Poll::Ready(());
        }
        inner.wakers.push(cx.waker().clone());
        Poll::Pending
    }

    /// Ready when something is in the buffer, which is to be handed over in a moment.
    pub fn poll_stirred(&self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.buffer.borrow().is_empty() {
            return Poll::Ready(());
        }
        self.stirred.set(Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        let mut buffer = self.buffer.borrow_mut();
        if !buffer.is_empty() {
            self.line_up(&mut buffer, true);
        }
    }
}

impl Line {
    fn wake(&self) {
        let wakers = std::mem::take(&mut self.inner.lock().wakers);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Drop for Collector {
    /// Nobody reads any more: nothing is wanted, and nobody waits.
    fn drop(&mut self) {
        self.hub.want(Wants::empty(), Duration::ZERO, 0);
    }
}

/// The end at which records are read.
#[derive(Debug)]
pub struct Collector {
    hub: Arc<Hub>,
}

impl Collector {
    /// Waits until there may be something to read, or somebody stirs, for no longer than `patience`.
    pub fn wait(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut stirred = self.hub.stirred.lock();
        while !*stirred {
            if self.hub.stir.wait_until(&mut stirred, deadline).timed_out() {
                break;
            }
        }
        *stirred = false;
    }

    /// All batches there are.
    pub fn take(&self) -> Vec<Batch> {
        let lines = self.hub.lines.lock().clone();
        lines.iter().flat_map(|line| std::mem::take(&mut line.inner.lock().batches)).collect()
    }

    /// A batch has been written: sessions that waited for that, or for room, go on, and its buffer is used again.
    pub fn done(&self, batch: Batch) {
        let Some(line) = self.hub.lines.lock().get(usize::from(batch.worker)).map(Arc::clone) else { return };
        line.confirmed.store(batch.last, Ordering::Release);
        let mut bytes = batch.bytes;
        bytes.clear();
        let mut inner = line.inner.lock();
        // One that a huge record made grow is given back, and so is what is not needed for one batch to be filled while
        // another is written.
        if bytes.capacity() <= 2 * self.hub.capacity.batch && inner.spare.len() < 4 {
            inner.spare.push(bytes);
        }
        drop(inner);
        line.wake();
    }
}

impl Batch {
    /// Its events.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || record::read(&mut rest))
    }
}

/// Counts without a locked instruction: each has one writer.
#[inline]
fn count(counter: &AtomicU64, more: u64) {
    counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

const fn head_mut<'e, 'a>(event: &'e mut Event<'a>) -> &'e mut Head<'a> {
    match event {
        Event::Statement(statement) => &mut statement.head,
        Event::Connect(session) | Event::ChangeUser(session) | Event::Quit(session) => &mut session.head,
    }
}

#[cfg(test)]
mod tests;
