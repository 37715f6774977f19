//! Reads and writes 1,000 pods with both crates in turns, and prints the median times in
//! microseconds: read ours, read theirs, write ours, write theirs.

use std::time::{Duration, Instant};

fn pod(number: usize) -> serde_json::Value {
    let env: Vec<_> = (0..8)
        .map(|n| serde_json::json!({"name": format!("VARIABLE_{n}"), "value": format!("{number}")}))
        .collect();
    let container = |name: &str| {
        serde_json::json!({
            "name": name, "image": format!("registry.example/{name}:{number}"),
            "imagePullPolicy": "IfNotPresent", "env": env,
            "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
            "volumeMounts": [{"name": "config", "mountPath": "/etc/config", "readOnly": true}],
            "securityContext": {"allowPrivilegeEscalation": false, "runAsNonRoot": true},
            "terminationMessagePath": "/dev/termination-log"
        })
    };
    serde_json::json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("pod-{number}"), "namespace": "default", "uid": format!("{number:032}"),
            "resourceVersion": format!("{number}"), "creationTimestamp": "2024-05-06T07:08:09Z",
            "labels": {"app": "web", "pod-template-hash": format!("{number:x}")},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web",
                "uid": "1", "controller": true, "blockOwnerDeletion": true}]
        },
        "spec": {
            "containers": [container("web"), container("sidecar")], "dnsPolicy": "ClusterFirst",
            "nodeName": "node-1", "restartPolicy": "Always", "schedulerName": "default-scheduler",
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
                "effect": "NoExecute", "tolerationSeconds": 300}],
            "volumes": [{"name": "config", "configMap": {"name": "web", "defaultMode": 420}}]
        },
        "status": {
            "phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}],
            "startTime": "2024-05-06T07:08:09Z",
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2024-05-06T07:08:10Z"}],
            "containerStatuses": [{"name": "web", "image": "web", "imageID": "sha256:1", "ready": true,
                "restartCount": 0, "started": true,
                "state": {"running": {"startedAt": "2024-05-06T07:08:09Z"}}}]
        }
    })
}

fn measure(function: impl Fn()) -> Duration {
    let start = Instant::now();
    function();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> u128 {
    times.sort();
    times[times.len() / 2].as_micros()
}

fn main() {
    let documents: Vec<String> = (0..1000).map(|number| pod(number).to_string()).collect();
    let read_ours = || {
        for text in &documents {
            std::hint::black_box(serde_json::from_str::<ours::api::core::v1::Pod>(text).unwrap());
        }
    };
    let read_theirs = || {
        for text in &documents {
            std::hint::black_box(serde_json::from_str::<theirs::api::core::v1::Pod>(text).unwrap());
        }
    };
    let our_pods: Vec<ours::api::core::v1::Pod> =
        documents.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let their_pods: Vec<theirs::api::core::v1::Pod> =
        documents.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let write_ours = || drop(std::hint::black_box(serde_json::to_vec(&our_pods).unwrap()));
    let write_theirs = || drop(std::hint::black_box(serde_json::to_vec(&their_pods).unwrap()));
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..41 {
        // In turns, so that other load on the machine affects both.
        times[0].push(measure(read_ours));
        times[1].push(measure(read_theirs));
        times[2].push(measure(write_ours));
        times[3].push(measure(write_theirs));
    }
    println!("{:?}", times.map(median));
}
