//! The workers of one process: they wait for jobs, and all run the same one at once.

use crate::channel::share;
use crate::control::{Asked, Control};
use crate::jobs::{Request, Room};
use std::net::TcpStream;
use std::sync::Mutex;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::Hooks;
use timely::worker::Worker;
use timely::WorkerConfig;

/// Run jobs until the process is killed. Only the first process has a control port.
pub fn run(
    sockets: Vec<Option<TcpStream>>,
    index: usize,
    threads: usize,
    memory: u64,
    control: Option<Control>,
) -> Result<(), String> {
    let hooks = Hooks::default();
    let room = Room {
        processes: sockets.len(),
        memory,
    };
    let local = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
    let (builders, guard) =
        initialize_networking_from_sockets(local, sockets, index, threads, hooks)
            .map_err(|error| error.to_string())?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let control = Mutex::new(control);
    let guards = timely::execute::execute_from(
        builders,
        Box::new(guard),
        WorkerConfig::default(),
        move |worker| {
            let control = (worker.index() == 0)
                .then(|| control.lock().expect("no other worker takes it").take())
                .flatten();
            serve(worker, room, control.as_ref());
        },
    )?;
    drop(guards); // waits for the workers, which never end
    Ok(())
}

fn serve(worker: &mut Worker, room: Room, control: Option<&Control>) {
    share(worker, Vec::new());
    if let Some(control) = control {
        control.status().ready();
    }
    loop {
        let asked = control.map(Control::next);
        let words = asked
            .as_ref()
            .map(|asked| serde_json::to_vec(&asked.words).expect("text is JSON"));
        let request = share(worker, words.unwrap_or_default()).swap_remove(0);
        let words: Vec<String> =
            serde_json::from_slice(&request).expect("the first worker sent it");
        let outcome = Request::parse(&words)
            .expect("it was parsed before")
            .run(worker, room);
        if let Some(Asked { answer, .. }) = asked {
            // a client that was killed no longer wants it
            let _ = answer.send(outcome.json());
        }
    }
}
