//! The one thread that reads what sessions tell and hands it to all sinks.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use observe::{Collector, Hub, Wants};

use crate::sink::Sink;

/// How often sinks are called when nothing happens.
const TICK: Duration = Duration::from_secs(1);

/// The writer's thread, from outside. Dropped, it writes what has been told so far and ends.
#[derive(Debug)]
pub struct Writer {
    hub: Arc<Hub>,
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread is told.
enum Order {
    /// These sinks from now on, in the place of those before.
    Sinks(Vec<Box<dyn Sink>>),
    /// Files were moved.
    Reopen,
    /// New files are to be begun, of all sinks or of the one that is called so.
    Rotate(Option<String>),
    /// Tells when it comes to it: everything ordered before, and told before, is done.
    Settle(Sender<()>),
}

impl Writer {
    /// Starts the thread; nothing is wanted yet.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(hub: &Arc<Hub>) -> io::Result<Self> {
        let (orders, told) = channel();
        let collector = hub.collector();
        let thread_hub = Arc::clone(hub);
        let thread = std::thread::Builder::new()
            .name("observer".to_owned())
            .spawn(move || work(&collector, &thread_hub, &told))?;
        Ok(Self { hub: Arc::clone(hub), orders: Some(orders), thread: Some(thread) })
    }

    /// Hands events to these sinks from now on. Those before are dropped; one whose name none has now takes what was
    /// told until now first.
    pub fn replace(&self, sinks: Vec<Box<dyn Sink>>) {
        self.order(Order::Sinks(sinks));
    }

    /// Files were moved: they are opened anew.
    pub fn reopen(&self) {
        self.order(Order::Reopen);
    }

    /// Begins new files, of all sinks or of the one of this name.
    pub fn rotate(&self, sink: Option<&str>) {
        self.order(Order::Rotate(sink.map(str::to_owned)));
    }

    /// Waits until everything that was handed over and ordered before has been done.
    pub fn settle(&self) {
        let (done, settled) = channel();
        self.order(Order::Settle(done));
        // When the thread has ended there is nothing to wait for.
        let _ = settled.recv();
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // One that has ended takes no orders.
            let _ = orders.send(order);
            self.hub.stir();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.orders.take());
        self.hub.stir();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the observer's thread ended by a panic");
        }
    }
}

fn work(collector: &Collector, hub: &Hub, orders: &Receiver<Order>) {
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    // What workers told before these were let go may still be on its way.
    let mut retired: Vec<(Instant, Box<dyn Sink>)> = Vec::new();
    let mut ticked = Instant::now();
    let mut ended = false;
    while !ended {
        collector.wait(TICK);
        // Taken before the batches are, and carried out behind them: what was told before an order is written before it.
        let mut ordered = Vec::new();
        loop {
            match orders.try_recv() {
                Ok(order) => ordered.push(order),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    ended = true;
                    break;
                }
            }
        }
        let batches = collector.take();
        for event in batches.iter().flat_map(observe::Batch::events) {
            sinks.iter_mut().for_each(|sink| sink.take(&event));
            retired.iter_mut().for_each(|(_, sink)| sink.take(&event));
        }
        if !batches.is_empty() {
            sinks.iter_mut().for_each(|sink| sink.flush());
            retired.iter_mut().for_each(|(_, sink)| sink.flush());
        }
        retired.retain(|(since, _)| since.elapsed() < TICK);
        batches.into_iter().for_each(|batch| collector.done(batch));
        if ticked.elapsed() >= TICK {
            ticked = Instant::now();
            sinks.iter_mut().for_each(|sink| sink.tick());
        }
        for order in ordered {
            match order {
                Order::Sinks(new) => {
                    let before = std::mem::replace(&mut sinks, new);
                    retired.extend(before.into_iter().map(|sink| (Instant::now(), sink)));
                    retired.retain(|(_, old)| sinks.iter().all(|new| new.name() != old.name()));
                    want(hub, &sinks);
                }
                Order::Reopen => sinks.iter_mut().for_each(|sink| sink.reopen()),
                Order::Rotate(name) => sinks
                    .iter_mut()
                    .filter(|sink| name.as_deref().is_none_or(|name| name == sink.name()))
                    .for_each(|sink| sink.rotate()),
                Order::Settle(done) => {
                    // Who has given up waiting needs no answer.
                    let _ = done.send(());
                }
            }
        }
    }
}

/// Sessions tell what any of the sinks wants.
fn want(hub: &Hub, sinks: &[Box<dyn Sink>]) {
    let wants = sinks.iter().fold(Wants::empty(), |wants, sink| wants | sink.wants());
    let slow = sinks.iter().filter_map(|sink| sink.slow()).min().unwrap_or(Duration::MAX);
    let limit = sinks.iter().map(|sink| sink.text_limit()).max().unwrap_or(0);
    if let Some(sampler) = sinks.iter().find_map(|sink| sink.sampler()) {
        hub.sample(sampler);
    }
    hub.want(wants, slow, limit);
}

#[cfg(test)]
mod tests;
