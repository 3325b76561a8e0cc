/** Which handler of the runtime a pod's RuntimeClass names. */
import { isNotFound, RUNTIME_CLASSES, type RuntimeClass } from '../api/index.ts';
import type { KubeClient } from '../client/index.ts';
import { type Clock, ConnectionError, withDeadline } from '../lib/index.ts';

/** Handlers remembered for when the API server is away. */
const MAX_REMEMBERED = 100;
const READ_TIMEOUT_MS = 10_000;

export interface RuntimeClasses {
  /**
   * The handler; empty without a class.
   * @throws Error in upstream's words when there is no such class, or the answer is missing
   */
  handlerOf(runtimeClassName: string | undefined): Promise<string>;
}

export function createRuntimeClasses({ clock, client }: { clock: Clock; client: KubeClient }): RuntimeClasses {
  const remembered = new Map<string, string>();
  const read = async (name: string): Promise<string> => {
    const answer = await withDeadline({ clock, timeoutMs: READ_TIMEOUT_MS }, (signal) =>
      client.get<RuntimeClass>(RUNTIME_CLASSES, undefined, name, signal),
    );
    if (answer.kind === 'done') return answer.value.handler ?? '';
    throw new ConnectionError(`no answer within ${READ_TIMEOUT_MS} ms`);
  };
  return {
    handlerOf: async (name) => {
      if (name === undefined || name === '') return '';
      try {
        const handler = await read(name);
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(name, handler);
        return handler;
      } catch (error) {
        if (isNotFound(error)) throw new Error(`runtimeclass.node.k8s.io "${name}" not found`, { cause: error });
        const known = remembered.get(name);
        if (known === undefined) throw error;
        return known;
      }
    },
  };
}
