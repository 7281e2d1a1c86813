//! What a client library in user space computes at an open is computed, and by the daemon.

mod common;

use std::fs;
use std::io;

/// Processor time of a process in seconds, of which the daemon uses at least what the profile says.
fn processor_seconds(pid: i32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let fields: Vec<f64> = after_name
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    // SAFETY: sysconf always succeeds for this name.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
    (fields[11] + fields[12]) / ticks
}

#[test]
fn an_open_costs_processor_time_for_each_entry_beside_it() -> io::Result<()> {
    let Some(lab) = common::start(
        1,
        &["--profile", "zero", "--set", "client.cpu_per_entry_us=1000"],
    ) else {
        return Ok(());
    };
    let used = |work: &dyn Fn() -> io::Result<()>| {
        let before = processor_seconds(lab.pid());
        work().unwrap();
        processor_seconds(lab.pid()) - before
    };
    let (alone, crowd) = (lab.mount().join("alone"), lab.mount().join("crowd"));
    fs::create_dir(&alone)?;
    fs::create_dir(&crowd)?;
    fs::write(lab.source().join("alone/file"), "x")?;
    for number in 0..200 {
        fs::write(lab.source().join(format!("crowd/{number}")), "x")?;
    }
    let many =
        used(&|| (0..4).try_for_each(|number| fs::read(crowd.join(number.to_string())).map(drop)));
    let few = used(&|| (0..4).try_for_each(|_| fs::read(alone.join("file")).map(drop)));
    let made = used(&|| fs::write(crowd.join("new"), "x"));
    let looked = used(&|| fs::read_dir(&crowd).map(drop));
    // A reading of /proc is behind by less than two ticks.
    assert!(many >= 4.0 * 0.2 - 0.02, "{many}");
    assert!(made >= 0.2 - 0.02, "{made}");
    assert!(
        few < many / 4.0 && looked < many / 4.0,
        "{few} {looked} {many}"
    );
    Ok(())
}
