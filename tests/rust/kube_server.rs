//! Creates, applies, lists, watches and deletes objects in the cluster of KUBECONFIG.

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::api::{
    DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, WatchEvent, WatchParams,
};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use std::collections::BTreeMap;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn labels() -> BTreeMap<String, String> {
    BTreeMap::from([("app".to_owned(), "drop-in".to_owned())])
}

fn metadata(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some(labels()),
        ..Default::default()
    }
}

async fn config_maps(client: Client) -> Outcome {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let map = ConfigMap {
        metadata: metadata("settings"),
        data: Some(BTreeMap::from([("a".to_owned(), "1".to_owned())])),
        ..Default::default()
    };
    let created = maps.create(&Default::default(), &map).await?;
    let version = created.resource_version().unwrap();

    let patch = json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "b": "2" } });
    let applied = maps
        .patch(
            "settings",
            &PatchParams::apply("test"),
            &Patch::Apply(&patch),
        )
        .await?;
    println!("applied {:?}", applied.data.unwrap());

    let selected = ListParams::default().labels("app=drop-in");
    for map in maps.list(&selected).await? {
        println!("listed {}", map.name_any());
    }
    maps.delete("settings", &DeleteParams::default()).await?;
    let absent = maps.get_opt("settings").await?.is_none();
    println!("absent {absent}");

    let watched = WatchParams::default().labels("app=drop-in");
    let mut events = maps.watch(&watched, &version).await?.take(2).boxed();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Modified(map) => println!("modified {}", map.name_any()),
            WatchEvent::Deleted(map) => println!("deleted {}", map.name_any()),
            other => println!("{other:?}"),
        }
    }
    Ok(())
}

async fn deployments(client: Client) -> Outcome {
    let deployments: Api<Deployment> = Api::namespaced(client, "default");
    let container = Container {
        name: "web".to_owned(),
        image: Some("nginx".to_owned()),
        ..Default::default()
    };
    let deployment = Deployment {
        metadata: metadata("web"),
        spec: Some(DeploymentSpec {
            selector: LabelSelector {
                match_labels: Some(labels()),
                ..Default::default()
            },
            template: PodTemplateSpec {
                metadata: Some(metadata("web")),
                spec: Some(PodSpec {
                    containers: vec![container],
                    ..Default::default()
                }),
            },
            ..Default::default()
        }),
        ..Default::default()
    };
    let created = deployments.create(&Default::default(), &deployment).await?;
    println!("default replicas {:?}", created.spec.unwrap().replicas);
    let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    let params = PatchParams::default();
    let patched = deployments.patch("web", &params, &patch).await?;
    println!("replicas {:?}", patched.spec.unwrap().replicas);
    let scale = deployments.get_scale("web").await?;
    println!("scale {:?}", scale.spec.unwrap().replicas);
    deployments.delete("web", &DeleteParams::default()).await?;
    let error = deployments.get("web").await.unwrap_err();
    println!(
        "{}",
        matches!(error, kube::Error::Api(status) if status.code == 404)
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome {
    let client = Client::try_default().await?;
    config_maps(client.clone()).await?;
    deployments(client).await
}
