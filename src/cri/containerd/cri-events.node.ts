/**
 * The runtime's events. containerd's own event service comes first: it announces an exit 33–125 ms before CRI's status shows
 * it, and 1.6 has no other. A runtime without it is asked for CRI's GetContainerEvents.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { Events } from '../gen/containerd-events_pb.js';
import { RuntimeService as CriService } from '../gen/runtime_pb.js';
import { EVENTS_CONNECT_TIMEOUT_MS } from '../limits.ts';
import { RuntimeError, type RuntimeEvent } from '../runtime.ts';
import { CONTAINERD_HEADERS, EVENT_FILTERS, eventFromContainerd, PROBE_TOPIC } from './containerd-events.ts';
import { eventFromCri } from './from-cri.ts';
import type { GrpcSocket } from './grpc.node.ts';

const PROBE_INTERVAL_MS = 20;

/** As `RuntimeService.events`. */
export async function* runtimeEvents(
  grpc: GrpcSocket,
  signal: AbortSignal,
  onConnected: () => void,
): AsyncIterable<RuntimeEvent> {
  try {
    yield* containerdEvents(grpc, signal, onConnected);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'Unimplemented') throw error;
    yield* criEvents(grpc, signal, onConnected);
  }
}

/**
 * containerd sends nothing, not even headers, before the first event. To know for certain that the stream is connected, we
 * publish an event of our own until it comes back.
 */
async function* containerdEvents(
  grpc: GrpcSocket,
  signal: AbortSignal,
  onConnected: () => void,
): AsyncIterable<RuntimeEvent> {
  const client = createClient(Events, grpc.transport);
  const inner = new AbortController();
  const failure: { error?: unknown } = {};
  const options = { signal: AbortSignal.any([signal, inner.signal]), headers: CONTAINERD_HEADERS };
  let connected = false;
  try {
    const stream = client.subscribe({ filters: [...EVENT_FILTERS] }, options);
    const probing = probe(grpc, () => connected, options.signal).catch((error: unknown) => {
      failure.error = error;
      inner.abort();
    });
    for await (const { topic, event } of stream) {
      if (!connected) {
        connected = true;
        onConnected();
      }
      const found = event && eventFromContainerd(topic, event.value);
      if (found) yield found;
    }
    await probing;
    throw new RuntimeError('Unavailable', "containerd's event stream ended");
  } catch (thrown) {
    throw grpc.error(failure.error ?? thrown, signal);
  } finally {
    inner.abort();
  }
}

async function probe(grpc: GrpcSocket, seen: () => boolean, signal: AbortSignal): Promise<void> {
  const client = createClient(Events, grpc.transport);
  const event = { typeUrl: 'google.protobuf.Empty', value: new Uint8Array() };
  for (let waited = 0; waited < EVENTS_CONNECT_TIMEOUT_MS; waited += PROBE_INTERVAL_MS) {
    await client.publish({ topic: PROBE_TOPIC, event }, { signal, headers: CONTAINERD_HEADERS });
    await sleep(PROBE_INTERVAL_MS, undefined, { signal });
    if (seen()) return;
  }
  throw new RuntimeError('DeadlineExceeded', `no event came back within ${EVENTS_CONNECT_TIMEOUT_MS} ms`);
}

/** CRI's stream has no sign of standing either; one that did not fail within the interval of a probe is taken to stand. */
async function* criEvents(grpc: GrpcSocket, signal: AbortSignal, onConnected: () => void): AsyncIterable<RuntimeEvent> {
  const inner = new AbortController();
  const either = AbortSignal.any([signal, inner.signal]);
  try {
    const stream = createClient(CriService, grpc.transport).getContainerEvents({}, { signal: either });
    const hoped = sleep(PROBE_INTERVAL_MS * 5, undefined, { signal: either }).then(onConnected, () => {});
    for await (const event of stream) yield eventFromCri(event);
    await hoped;
    throw new RuntimeError('Unavailable', "the runtime's event stream ended");
  } catch (thrown) {
    throw grpc.error(thrown, signal);
  } finally {
    inner.abort();
  }
}
