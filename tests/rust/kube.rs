use futures::TryStreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::runtime::{watcher, WatchStreamExt};
use kube::{Api, Client, CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced)]
struct GadgetSpec {
    template: k8s_openapi::api::core::v1::PodTemplateSpec,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", serde_json::to_string(&Gadget::crd())?);
    let client = Client::try_default().await?;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    for pod in pods.list(&Default::default()).await? {
        println!("{}", pod.name_any());
    }
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let stream = watcher(maps, watcher::Config::default()).applied_objects();
    futures::pin_mut!(stream);
    while let Some(map) = stream.try_next().await? {
        println!("{}", map.name_any());
    }
    Ok(())
}
