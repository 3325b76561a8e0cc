/** What a reconcile wants done, as data; and how it is done. Each is safe to repeat. */
import { type KubeObject, type Resource, hasReason, isAlreadyExists, isNotFound } from '../api/index.ts';
import { type DeleteOptions, type KubeClient, type PatchType, isNamespaceTerminating } from '../client/index.ts';
import { assertNever } from '../lib/index.ts';

export type Operation =
  | { readonly verb: 'create'; readonly resource: Resource<KubeObject>; readonly object: KubeObject }
  | {
      readonly verb: 'update';
      readonly resource: Resource<KubeObject>;
      readonly object: KubeObject;
      readonly subresource?: string;
    }
  | {
      readonly verb: 'patch';
      readonly resource: Resource<KubeObject>;
      readonly namespace?: string;
      readonly name: string;
      readonly type: PatchType;
      readonly patch: unknown;
      readonly subresource?: string;
    }
  | {
      readonly verb: 'delete';
      readonly resource: Resource<KubeObject>;
      readonly namespace?: string;
      readonly name: string;
      readonly options?: DeleteOptions;
    };

/** Where it writes; undefined for what lies in no namespace. */
export function namespaceOfOperation(operation: Operation): string | undefined {
  const isObject = operation.verb === 'create' || operation.verb === 'update';
  return isObject ? operation.object.metadata?.namespace : operation.namespace;
}

/**
 * What "already there" means for a create: somebody else's object of that name is an error for a caller that needs its own.
 */
export interface PerformOptions {
  /** Reject with AlreadyExists instead of taking it for done. */
  readonly ownName?: boolean;
}

/**
 * Does one operation. What somebody else already did is done: a create of what exists or whose namespace is going away, a
 * change or delete of what is gone or is another object by now. Resolves to what was written, if anything.
 */
export async function perform(
  client: KubeClient,
  operation: Operation,
  signal: AbortSignal,
  { ownName = false }: PerformOptions = {},
): Promise<KubeObject | undefined> {
  try {
    return await send(client, operation, signal);
  } catch (error) {
    if (isNotFound(error) && operation.verb !== 'create') return undefined;
    if (operation.verb === 'create' && isAlreadyExists(error) && !ownName) return undefined;
    if (operation.verb === 'create' && isNamespaceTerminating(error)) return undefined;
    if (operation.verb === 'delete' && hasReason(error, 'Conflict')) return undefined;
    throw error;
  }
}

async function send(client: KubeClient, operation: Operation, signal: AbortSignal): Promise<KubeObject | undefined> {
  switch (operation.verb) {
    case 'create':
      return client.create(operation.resource, operation.object, signal);
    case 'update':
      return client.update(operation.resource, operation.object, operation.subresource, signal);
    case 'patch': {
      const { resource, namespace, name, type, patch, subresource } = operation;
      return client.patch(resource, namespace, name, type, patch, subresource, signal);
    }
    case 'delete':
      return client.delete(operation.resource, operation.namespace, operation.name, operation.options, signal);
    default:
      return assertNever(operation);
  }
}
