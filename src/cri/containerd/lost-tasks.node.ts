/**
 * Removes tasks that CRI has lost sight of. A start whose caller goes away at the wrong moment (containerd 1.6: between
 * making the task and asking for its process) leaves a task behind a container that CRI calls exited, and can then never
 * remove. containerd's own task service, on the same socket, can.
 */
import { createClient } from '@connectrpc/connect';
import { Tasks } from '../gen/containerd-tasks_pb.js';
import { type CallOptions, RuntimeError } from '../runtime.ts';
import { CONTAINERD_HEADERS } from './containerd-events.ts';
import type { GrpcSocket } from './grpc.node.ts';

const SIGKILL = 9;

/** Does `error`, from a removal, come of such a task? */
export function isLostTask(error: unknown): boolean {
  return error instanceof RuntimeError && error.message.includes('cannot delete running task');
}

/** Kills and removes the task behind container `id`, which CRI calls exited. A task that is gone already is fine. */
export async function removeLostTask(grpc: GrpcSocket, id: string, options?: CallOptions): Promise<void> {
  const tasks = createClient(Tasks, grpc.transport);
  const headers = { headers: CONTAINERD_HEADERS };
  await tolerate(
    grpc.call((call) => tasks.kill({ containerId: id, signal: SIGKILL, all: true }, { ...call, ...headers }), options),
  );
  await tolerate(grpc.call((call) => tasks.delete({ containerId: id }, { ...call, ...headers }), options));
}

/** Neither a task without a process nor one that went meanwhile is in the way. */
async function tolerate(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof RuntimeError) || !['NotFound', 'FailedPrecondition'].includes(error.code)) throw error;
  }
}
