/**
 * The definitions that the server itself brings along: it creates them, keeps them as its version has them, and lets nobody delete them.
 */
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
  type DefinitionSpec,
  equalJson,
  type FieldError,
  forbidden,
  forbiddenField,
  isServed,
  ownDefinitions,
  schemaOf,
} from '../../api/index.ts';
import { decodeText, encodeText, readAll } from '../../lib/index.ts';
import type { Registry, ServerContext } from '../call.ts';
import { MAX_NODE_ERROR_BYTES, OWN_KINDS_TIMEOUT_MS } from '../limits.ts';
import { type Clock, type Connection, OWN_HEADERS } from '../ports.ts';
import { readCurrent } from '../registry/read-current.ts';

const KEPT = 'this definition belongs to the server, which has it of its own version';

let complete: ReadonlyMap<string, DefinitionSpec> | undefined;

/** The specs of our definitions by name, as a server stores them: with all that follows from what they say. */
function ownSpecs(): ReadonlyMap<string, DefinitionSpec> {
  complete ??= new Map(
    ownDefinitions().map((definition) => {
      const schema = schemaOf(CUSTOM_RESOURCE_DEFINITIONS);
      const { object } = schema.prune({ ...definition });
      const { metadata, spec } = schema.setDefaults(object) as unknown as CustomResourceDefinition;
      return [metadata?.name ?? '', spec] as const;
    }),
  );
  return complete;
}

function nameOf({ metadata }: CustomResourceDefinition): string {
  return metadata?.name ?? '';
}

/** Whether this is the very spec of one of our definitions. */
export function isOwnSpec(definition: CustomResourceDefinition): boolean {
  const own = ownSpecs().get(nameOf(definition));
  return own !== undefined && equalJson(definition.spec, own);
}

/** Throws 403 for a definition of ours: all objects of its kind would go with it. */
export function refuseDeletionOfOwn(name: string): void {
  if (!ownSpecs().has(name)) return;
  const why = 'this definition belongs to the server: all objects of its kind would be deleted with it';
  throw forbidden(CUSTOM_RESOURCE_DEFINITIONS, name, why);
}

/** What nobody may change about a definition of ours: all but labels, annotations and the like. */
export function changesOfOwn(definition: CustomResourceDefinition, old?: CustomResourceDefinition): FieldError[] {
  if (!ownSpecs().has(nameOf(definition))) return [];
  const errors: FieldError[] = [];
  if (!isOwnSpec(definition)) errors.push(forbiddenField('spec', `${KEPT}: leave it out of what you apply`));
  // A collector of garbage would delete it with its owner.
  if ((definition.metadata?.ownerReferences ?? []).length > 0)
    errors.push(forbiddenField('metadata.ownerReferences', `${KEPT}, and no owner`));
  if (old !== undefined && isServed(old) && !isServedByItsNames(definition))
    errors.push(forbiddenField('status', `${KEPT}, and is served`));
  return errors;
}

function isServedByItsNames(definition: CustomResourceDefinition): boolean {
  return isServed(definition) && definition.status?.acceptedNames?.kind === definition.spec.names.kind;
}

/**
 * Creates what is missing of our definitions, and gives the others the spec of this version. `self`: the server as its own user. Throws
 * when an answer is a failure.
 */
export async function ensureOwnDefinitions(server: ServerContext, self: Connection): Promise<void> {
  for (const definition of ownDefinitions()) {
    const name = nameOf(definition);
    const { resource, group } = CUSTOM_RESOURCE_DEFINITIONS;
    const found = await readCurrent(server, resource, undefined, name, group);
    const stored = found as unknown as CustomResourceDefinition | undefined;
    if (stored !== undefined && isOwnSpec(stored)) continue;
    const url = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    if (stored !== undefined) await ask(self, 'PUT', `${url}/${name}`, { ...stored, spec: definition.spec });
    else {
      const made = await ask(self, 'POST', url, definition, [409]);
      // There is one that cannot be read: it is replaced.
      if (made === 409) await ask(self, 'PUT', `${url}/${name}`, definition);
    }
  }
}

/** The status. Throws for a failure that is not expected. */
async function ask(
  self: Connection,
  method: string,
  url: string,
  value: object,
  expected: readonly number[] = [],
): Promise<number> {
  const body = encodeText(JSON.stringify(value));
  const answer = await self.request({ method, url, headers: OWN_HEADERS, body });
  if (answer.status < 300 || expected.includes(answer.status)) return answer.status;
  const text = decodeText(await readAll(answer.body, MAX_NODE_ERROR_BYTES));
  throw new Error(`${method} ${url}: ${answer.status}: ${text}`);
}

/** Waits until all kinds of our definitions are served. False: they were not in time. */
export async function untilOwnKindsAreServed(registry: Registry, clock: Clock): Promise<boolean> {
  if (areServed(registry)) return true;
  return new Promise((resolve) => {
    const finish = (isServed: boolean): void => {
      timer.cancel();
      forget();
      resolve(isServed);
    };
    const timer = clock.setTimer(OWN_KINDS_TIMEOUT_MS, () => finish(false));
    const forget = registry.onChange(() => {
      if (areServed(registry)) finish(true);
    });
  });
}

function areServed(registry: Registry): boolean {
  return ownDefinitions().every(({ spec }) =>
    spec.versions.every(
      ({ name }) => registry.rowOf({ group: spec.group, version: name, resource: spec.names.plural }) !== undefined,
    ),
  );
}
