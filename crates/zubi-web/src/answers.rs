//! Responses: the page's files, the methods of `zubi_agent::wire`, and the event stream.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{Stream, stream};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use zubi_agent::chat::{ChatError, ChatService};

use crate::assets;
use crate::guard::{AccessGuard, RequestRefusal, single_header};
use crate::server::PageConnection;

/// The surface of the page's requests, as recorded in decisions.
const SURFACE: &str = "web";
/// The maximum size of a request body, in bytes: a user may paste a long text, or edit the arguments of a call.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// The time-out for receiving a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);
/// The maximum time without data on an event stream; the page treats a longer silence as a lost connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The content security policy: the page may load its own files and reach this server. No text of a model is executed,
/// and no other page can show this one in a frame to trick a user into clicking.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const UNKNOWN_ADDRESS: &str = "There is nothing at this address.";
const WRONG_METHOD: &str =
    "Wrong method for this address: call methods with POST; read the event stream and the page's files with GET.";
const JSON: &str = "application/json";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

struct WebState {
    chats: Arc<dyn ChatService>,
    guard: AccessGuard,
    stop: CancellationToken,
}

type AppState = State<Arc<WebState>>;

/// Creates the routes of the server. Event streams end when `stop` is cancelled.
pub(crate) fn router(chats: Arc<dyn ChatService>, guard: AccessGuard, stop: CancellationToken) -> Router {
    let shared = Arc::new(WebState { chats, guard, stop });
    let api = Router::new()
        .route("/api/events", get(events))
        .route("/api/{method}", post(request))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), require_caller));
    Router::new()
        .route("/", get(async || serve_asset("index.html")))
        .route("/{name}", get(async |Path(name): Path<String>| serve_asset(&name)))
        .method_not_allowed_fallback(wrong_method)
        .merge(api)
        .fallback(async || refuse(StatusCode::NOT_FOUND, UNKNOWN_ADDRESS))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), require_host))
        .layer(middleware::map_response(protect))
        .with_state(shared)
}

async fn require_host(State(shared): AppState, request: Request, next: Next) -> Response {
    match shared.guard.check_host(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refuse_request(refusal),
    }
}

async fn require_caller(State(shared): AppState, request: Request, next: Next) -> Response {
    match shared.guard.check_caller(request.headers()) {
        Ok(()) => {
            if let Some(connection) = request.extensions().get::<PageConnection>() {
                connection.trust();
            }
            next.run(request).await
        }
        Err(refusal) => refuse_request(refusal),
    }
}

fn refuse_request(RequestRefusal { status, text }: RequestRefusal) -> Response {
    let mut response = refuse(status, text);
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

async fn protect(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (X_FRAME_OPTIONS, "DENY"),
        (RESOURCE_POLICY, "same-origin"),
        (OPENER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Responds with a file of the page.
fn serve_asset(name: &str) -> Response {
    match assets::find(name) {
        Some(asset) => ([(CONTENT_TYPE, asset.media)], asset.text).into_response(),
        None => refuse(StatusCode::NOT_FOUND, UNKNOWN_ADDRESS),
    }
}

/// Calls a method with its parameters as JSON.
async fn request(State(shared): AppState, Path(method): Path<String>, headers: HeaderMap, body: Body) -> Response {
    if !is_json(&headers) {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Parameters are sent as `application/json`.");
    }
    let params = match read(body).await {
        Ok(params) => params,
        Err((status, text)) => return refuse(status, &text),
    };
    match shared.chats.request(&method, params, SURFACE).await {
        Ok(result) => Json(result).into_response(),
        Err(error) => {
            let status = match &error {
                ChatError::UnknownMethod(_) | ChatError::NotFound(_) => StatusCode::NOT_FOUND,
                ChatError::Invalid(_) => StatusCode::BAD_REQUEST,
                ChatError::Failed(_) => StatusCode::CONFLICT,
            };
            refuse(status, &error.to_string())
        }
    }
}

/// Whether the content type is JSON, which a form of another page cannot send. Ignores parameters, as browsers do.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = single_header(headers, &CONTENT_TYPE).and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON))
}

async fn read(body: Body) -> Result<Value, (StatusCode, String)> {
    let too_long = || (StatusCode::PAYLOAD_TOO_LARGE, format!("A request may have at most {MAX_BODY} bytes."));
    // A declared length over the limit is refused before the body arrives.
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(too_long());
    }
    let bytes = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY))
        .await
        .map_err(|_| (StatusCode::REQUEST_TIMEOUT, "The request did not come to its end.".to_owned()))?
        .map_err(|_| too_long())?;
    serde_json::from_slice(&bytes).map_err(|error| (StatusCode::BAD_REQUEST, format!("invalid JSON: {error}")))
}

/// Sends all events from now on as server-sent events `told`. A client that is too slow has lost events: it receives
/// `reload` and must request them again.
async fn events(State(shared): AppState) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let receiver = shared.chats.listen();
    let stream = stream::unfold((receiver, shared), async |(mut receiver, shared)| {
        let received = tokio::select! {
            event = receiver.recv() => event,
            () = shared.stop.cancelled() => Err(RecvError::Closed),
        };
        let event = match received {
            // An event that cannot be serialised counts as lost.
            Ok(conversation_event) => {
                Event::default().event("told").json_data(&*conversation_event).unwrap_or_else(|_| reload())
            }
            Err(RecvError::Lagged(_)) => reload(),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), (receiver, shared)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

fn reload() -> Event {
    Event::default().event("reload").data("{}")
}

/// Responds to a known address with the wrong method; the router adds `Allow`.
async fn wrong_method() -> Response {
    refuse(StatusCode::METHOD_NOT_ALLOWED, WRONG_METHOD)
}

fn refuse(status: StatusCode, text: &str) -> Response {
    (status, Json(json!({ "error": text }))).into_response()
}
