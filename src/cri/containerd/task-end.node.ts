/**
 * The end of a container's task, read from containerd's task service: its shim knows it when the exit is announced, 25 to 45 ms
 * (at worst 125) before CRI has put the task away and shows it. A restart need not wait for the putting away.
 */
import { createClient } from '@connectrpc/connect';
import { Status } from '../gen/containerd-task-types_pb.js';
import { Tasks } from '../gen/containerd-tasks_pb.js';
import type { CallOptions } from '../runtime.ts';
import type { TaskEnd } from './announced-ends.ts';
import { CONTAINERD_HEADERS } from './containerd-events.ts';
import type { GrpcSocket } from './grpc.node.ts';

/** `undefined`: the task runs, is gone already, or its state is unknown. Never rejects: CRI is asked at the same time. */
export async function readTaskEnd(
  grpc: GrpcSocket,
  id: string,
  options: CallOptions | undefined,
): Promise<TaskEnd | undefined> {
  try {
    const tasks = createClient(Tasks, grpc.transport);
    const headers = { headers: CONTAINERD_HEADERS };
    const { process } = await grpc.call((call) => tasks.get({ containerId: id }, { ...call, ...headers }), options);
    if (process?.status !== Status.STOPPED || process.exitedAt === undefined) return undefined;
    const { seconds, nanos } = process.exitedAt;
    return { exitCode: process.exitStatus, finishedAt: Number(seconds) * 1000 + Math.floor(nanos / 1_000_000) };
  } catch {
    return undefined;
  }
}
