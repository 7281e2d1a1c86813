//! The command line.

use crate::daemon::Plan;
use crate::fault::Spec;
use crate::profile::{Profile, BUILT_IN};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Emulates the latency of a parallel file system on top of a directory.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub mount: MountArgs,
}

#[derive(Subcommand)]
pub enum Command {
    /// Print every profile's values with the source of each.
    Profiles {
        /// As one JSON object.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub struct MountArgs {
    /// The directory that holds the files.
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
    /// Where to mount, one per virtual node; they share one metadata server and one bandwidth.
    #[arg(long, value_name = "[NAME=]DIR")]
    mountpoint: Vec<String>,
    /// A built-in profile (see `profiles`) or a file ending in .toml.
    #[arg(long, default_value = "lustre")]
    profile: String,
    /// Change one value of the profile.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Where to write counters, faults and state, and to read `control`.
    #[arg(long, value_name = "DIR")]
    stats_dir: Option<PathBuf>,
    /// Inject a fault, e.g. eio:open:0.001, enospc:write:after=100MB, stall:mds:at=5s,for=3s.
    #[arg(long, value_name = "SPEC")]
    fault: Vec<String>,
    /// Seed of the faults.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stay in the foreground; the daemon always does.
    #[arg(long)]
    foreground: bool,
}

/// Mounts are bits of one word.
const MOST_MOUNTS: usize = 64;

impl MountArgs {
    /// Checks everything that can be checked before mounting.
    pub fn plan(self) -> Result<Plan, String> {
        let source = self.source.ok_or("--source DIR is missing")?;
        if !source.is_dir() {
            return Err(format!("source {} is not a directory", source.display()));
        }
        let mut profile = Profile::load(&self.profile)?;
        for assignment in &self.set {
            profile.set(assignment)?;
        }
        profile.settings()?;
        for fault in &self.fault {
            Spec::parse(fault)?;
        }
        Ok(Plan {
            source,
            mounts: mounts(&self.mountpoint)?,
            profile,
            stats_dir: self.stats_dir,
            faults: self.fault,
            seed: self.seed,
        })
    }
}

fn mounts(given: &[String]) -> Result<Vec<(String, PathBuf)>, String> {
    if given.is_empty() || given.len() > MOST_MOUNTS {
        return Err(format!(
            "--mountpoint must be given 1 to {MOST_MOUNTS} times"
        ));
    }
    let mut mounts: Vec<(String, PathBuf)> = Vec::new();
    for (index, text) in given.iter().enumerate() {
        let (name, dir) = match text.split_once('=') {
            Some((name, dir)) if !name.contains('/') => (name.to_string(), PathBuf::from(dir)),
            _ => (format!("client{index}"), PathBuf::from(text)),
        };
        if name.is_empty() || mounts.iter().any(|(known, _)| *known == name) {
            return Err(format!(
                "mount {text:?}: the name {name:?} is empty or given twice"
            ));
        }
        if !dir.is_dir() {
            return Err(format!("mountpoint {} is not a directory", dir.display()));
        }
        mounts.push((name, dir));
    }
    Ok(mounts)
}

/// Every built-in profile, values and sources.
pub fn describe(json: bool) -> Result<String, String> {
    let profiles: Result<Vec<Profile>, String> = BUILT_IN
        .iter()
        .map(|(name, _)| Profile::load(name))
        .collect();
    let profiles = profiles?;
    if json {
        return serde_json::to_string_pretty(&profiles).map_err(|e| e.to_string());
    }
    Ok(profiles
        .iter()
        .map(describe_one)
        .collect::<Vec<_>>()
        .join("\n"))
}

fn describe_one(profile: &Profile) -> String {
    let mut text = format!("{}: {}\n", profile.name, profile.summary);
    for (key, sourced) in &profile.values {
        text += &format!("  {key} = {}\n      {}\n", sourced.value, sourced.source);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{describe, mounts};
    use crate::profile::BUILT_IN;

    #[test]
    fn mounts_have_names_and_must_exist() {
        let two = mounts(&["n1=/".into(), "/".into()]).unwrap();
        assert_eq!((two[0].0.as_str(), two[1].0.as_str()), ("n1", "client1"));
        assert!(mounts(&["n1=/".into(), "n1=/".into()]).is_err());
        assert!(mounts(&["/no/such/place".into()]).is_err());
        assert!(mounts(&[]).is_err());
    }

    #[test]
    fn every_profile_is_described() {
        for json in [false, true] {
            let text = describe(json).unwrap();
            for (name, _) in BUILT_IN {
                assert!(text.contains(name));
            }
        }
    }
}
