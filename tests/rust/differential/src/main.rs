//! Reads lines of `type TAB document TAB document` and does the same with both crates: read, write,
//! read what the other wrote, merge. Prints the first differences, and what was counted.

use std::io::BufRead;

#[derive(Default)]
struct Counts {
    read: usize,
    refused: usize,
    merged: usize,
    different: usize,
}

impl Counts {
    fn differ(&mut self, what: &str, name: &str, document: &str, ours: &str, theirs: &str) {
        self.different += 1;
        if self.different <= 20 {
            println!("{what} {name}: {document}\n  ours:   {ours}\n  theirs: {theirs}");
        }
    }
}

trait Ours: serde::Serialize + serde::de::DeserializeOwned + ours::DeepMerge {}
impl<T: serde::Serialize + serde::de::DeserializeOwned + ours::DeepMerge> Ours for T {}

trait Theirs: serde::Serialize + serde::de::DeserializeOwned + theirs::DeepMerge {}
impl<T: serde::Serialize + serde::de::DeserializeOwned + theirs::DeepMerge> Theirs for T {}

fn text<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

fn compare<O: Ours, T: Theirs>(name: &str, one: &str, other: &str, counts: &mut Counts) {
    let mut values = Vec::new();
    for document in [one, other] {
        let ours = serde_json::from_str::<O>(document);
        let theirs = serde_json::from_str::<T>(document);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                counts.read += 1;
                let (left, right) = (text(&ours), text(&theirs));
                if left != right {
                    counts.differ("written", name, document, &left, &right);
                    continue;
                }
                let again = serde_json::from_str::<O>(&right).map(|value| text(&value));
                if again.as_ref().ok() != Some(&left) {
                    counts.differ("read again", name, &right, &format!("{again:?}"), &left);
                }
                // What arrives as a value, not as text, takes other ways through serde.
                let value: serde_json::Value = serde_json::from_str(document).unwrap();
                let ours_too = serde_json::from_value::<O>(value.clone()).map(|v| text(&v)).ok();
                let theirs_too = serde_json::from_value::<T>(value).map(|v| text(&v)).ok();
                if ours_too != theirs_too {
                    let (l, r) = (format!("{ours_too:?}"), format!("{theirs_too:?}"));
                    counts.differ("from a value", name, document, &l, &r);
                }
                values.push((ours, theirs));
            }
            (Err(_), Err(_)) => counts.refused += 1,
            (ours, theirs) => {
                let left = ours.map(|value| text(&value));
                let right = theirs.map(|value| text(&value));
                let (left, right) = (format!("{left:?}"), format!("{right:?}"));
                counts.differ("read", name, document, &left, &right);
            }
        }
    }
    if values.len() == 2 {
        let (our_new, their_new) = values.pop().unwrap();
        let (mut our, mut their) = values.pop().unwrap();
        ours::DeepMerge::merge_from(&mut our, our_new);
        theirs::DeepMerge::merge_from(&mut their, their_new);
        counts.merged += 1;
        let (left, right) = (text(&our), text(&their));
        if left != right {
            counts.differ("merged", name, &format!("{one} + {other}"), &left, &right);
        }
    }
}

include!("types.rs");

fn main() {
    let mut counts = Counts::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut parts = line.split('\t');
        let mut next = || parts.next().unwrap();
        let (name, one, other) = (next(), next(), next());
        dispatch(name, one, other, &mut counts);
    }
    println!(
        "{{\"read\": {}, \"refused\": {}, \"merged\": {}, \"different\": {}}}",
        counts.read, counts.refused, counts.merged, counts.different
    );
    std::process::exit(i32::from(counts.different > 0));
}
