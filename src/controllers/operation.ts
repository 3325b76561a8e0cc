/** The writes of a reconcile as data, and how they are carried out. Each is safe to repeat. */
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

/** The namespace that it writes to; undefined for cluster-wide objects. */
export function namespaceOfOperation(operation: Operation): string | undefined {
  const isObject = operation.verb === 'create' || operation.verb === 'update';
  return isObject ? operation.object.metadata?.namespace : operation.namespace;
}

/**
 * The meaning of "already exists" for a create: another client's object of that name is an error for a caller that needs its
 * own.
 */
export interface PerformOptions {
  /** Reject with AlreadyExists instead of taking it for done. */
  readonly ownName?: boolean;
}

/**
 * Carries out one operation. An operation that another client has already done counts as done: a create of an existing object
 * or in a namespace that is being deleted, a change or delete of an object that is gone or is another one by now. Resolves to
 * the written object, if any.
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
