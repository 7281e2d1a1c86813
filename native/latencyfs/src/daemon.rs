//! The life of the daemon: mount, say ready, wait for a signal, unmount.

use crate::mount::Mount;
use crate::profile::Profile;
use crate::shared::Shared;
use crate::stats::Reporter;
use crate::timer::Timer;
use crate::tree::Tree;
use fuser::{BackgroundSession, Config, MountOption, SessionACL};
use std::ffi::CString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the command line asked for.
pub struct Plan {
    pub source: PathBuf,
    /// Client name and directory of each mount.
    pub mounts: Vec<(String, PathBuf)>,
    pub profile: Profile,
    pub stats_dir: Option<PathBuf>,
    pub faults: Vec<String>,
    pub seed: u64,
}

/// Threads that answer at deadlines; two so that one copies data while one waits.
const TIMER_THREADS: usize = 2;
/// Threads per mount that do real system calls.
const WORKERS: usize = 8;

pub fn run(plan: Plan) -> Result<(), String> {
    let settings = plan.profile.settings()?;
    let signals = prepare_process();
    let tree = Tree::open(&plan.source)
        .map_err(|e| format!("cannot open source {}: {e}", plan.source.display()))?;
    let timer = Timer::start(TIMER_THREADS).map_err(|e| format!("cannot start threads: {e}"))?;
    let names = plan.mounts.iter().map(|(name, _)| name.clone()).collect();
    let shared = Arc::new(Shared::new(settings, tree, names, timer, plan.seed));
    let reporter = start_reporter(&plan, &shared)?;
    let sessions = mount_all(&plan, &shared)?;
    // After mounting, so that the times of a stall count from the word `ready`.
    for fault in &plan.faults {
        shared.add_fault(fault)?;
    }
    say_ready();
    wait_for(&signals);
    unmount_all(&plan.mounts, sessions);
    if let Some(reporter) = reporter {
        reporter.write();
    }
    Ok(())
}

fn start_reporter(plan: &Plan, shared: &Arc<Shared>) -> Result<Option<Arc<Reporter>>, String> {
    let Some(dir) = &plan.stats_dir else {
        return Ok(None);
    };
    let start = || {
        let reporter = Reporter::new(dir, shared.clone(), plan.profile.clone()).map(Arc::new)?;
        reporter.start()?;
        Ok(Some(reporter))
    };
    start().map_err(|e: std::io::Error| format!("cannot write to {}: {e}", dir.display()))
}

/// Many descriptors, modes as asked, signals to wait for, and an end when the parent ends.
fn prepare_process() -> libc::sigset_t {
    // SAFETY: plain process settings; every pointer is to a local that outlives its call.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        if libc::geteuid() == 0 {
            limit.rlim_max = limit.rlim_max.max(1 << 20);
        }
        limit.rlim_cur = limit.rlim_max;
        libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        libc::umask(0);
        // The servers played here would run elsewhere: a busy job must not slow them down.
        libc::setpriority(libc::PRIO_PROCESS, 0, -10);
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut signals);
        libc::sigaddset(&mut signals, libc::SIGTERM);
        libc::sigaddset(&mut signals, libc::SIGINT);
        libc::sigaddset(&mut signals, libc::SIGHUP);
        libc::pthread_sigmask(libc::SIG_BLOCK, &signals, std::ptr::null_mut());
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
        signals
    }
}

fn wait_for(signals: &libc::sigset_t) {
    let mut signal = 0;
    // SAFETY: the set is initialised and both arguments outlive the call.
    unsafe { libc::sigwait(signals, &mut signal) };
}

fn config(profile: &str) -> Config {
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::FSName(format!("latencyfs-{profile}")),
        MountOption::Subtype("latencyfs".into()),
        MountOption::DefaultPermissions,
    ];
    // SAFETY: geteuid always succeeds.
    if unsafe { libc::geteuid() } == 0 {
        config.acl = SessionACL::All;
        config.mount_options.push(MountOption::Dev);
        config.mount_options.push(MountOption::Suid);
    }
    config.n_threads = Some(WORKERS);
    config
}

fn mount_all(plan: &Plan, shared: &Arc<Shared>) -> Result<Vec<BackgroundSession>, String> {
    let mut sessions = Vec::new();
    for (client, (_, dir)) in plan.mounts.iter().enumerate() {
        match mount_one(plan, shared, client, dir) {
            Ok(session) => sessions.push(session),
            Err(error) => {
                unmount_all(&plan.mounts[..client], sessions);
                return Err(format!("cannot mount at {}: {error}", dir.display()));
            }
        }
    }
    let notifiers = sessions.iter().map(BackgroundSession::notifier).collect();
    shared
        .invalidator
        .start(notifiers)
        .map_err(|e| format!("cannot start threads: {e}"))?;
    Ok(sessions)
}

fn mount_one(
    plan: &Plan,
    shared: &Arc<Shared>,
    client: usize,
    dir: &Path,
) -> std::io::Result<BackgroundSession> {
    let mount = Mount {
        shared: shared.clone(),
        client,
    };
    let session = fuser::spawn_mount(mount, dir, &config(&plan.profile.name))?;
    // An answered request proves that the mount works.
    std::fs::metadata(dir)?;
    Ok(session)
}

fn say_ready() {
    let mut out = std::io::stdout();
    // A parent that closed our output does not wait for the message.
    let _ = writeln!(out, "ready").and_then(|()| out.flush());
}

/// Detaches the mounts even while files are open; what is open then fails with ENOTCONN.
fn unmount_all(mounts: &[(String, PathBuf)], sessions: Vec<BackgroundSession>) {
    for (_, dir) in mounts {
        let Ok(path) = CString::new(dir.as_os_str().as_bytes()) else {
            continue;
        };
        // SAFETY: path outlives the call.
        if unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) } != 0 {
            detach_unprivileged(dir);
        }
    }
    // Waiting for the sessions could wait for users of the mount; the process end closes them.
    std::mem::forget(sessions);
}

fn detach_unprivileged(dir: &Path) {
    let _ = std::process::Command::new("fusermount3")
        .args(["-u", "-z", "-q"])
        .arg(dir)
        .status();
}
