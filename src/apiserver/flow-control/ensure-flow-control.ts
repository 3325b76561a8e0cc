/** Keeps the FlowSchemas and PriorityLevelConfigurations that the server brings, through the server itself. */
import {
  FLOW_SCHEMAS,
  MANDATORY_FLOW_SCHEMAS,
  MANDATORY_PRIORITY_LEVELS,
  PRIORITY_LEVELS,
  type PriorityLevelConfiguration,
  type ResourceRow,
} from '../../api/index.ts';
import { decodeText, encodeText, readAll } from '../../lib/index.ts';
import { MAX_REQUEST_BODY_BYTES } from '../limits.ts';
import { rootPath } from '../openapi/paths.ts';
import { type Connection, OWN_HEADERS } from '../ports.ts';
import { FLOW_SCHEMA_OBJECTS, PRIORITY_LEVEL_OBJECTS } from '../registry/flow-control.ts';
import { ensureObject } from '../services/system-objects.ts';
import { type FlowObject, type FlowObjectsInput, type FlowObjectStep, planFlowObjects } from './plan-objects.ts';

/** `server` acts as its own user. */
export async function ensureFlowControl(server: Connection): Promise<void> {
  // The levels first: no schema is without its level even for a moment.
  await ensureKind(server, PRIORITY_LEVELS, {
    wanted: PRIORITY_LEVEL_OBJECTS,
    mandatory: new Set(MANDATORY_PRIORITY_LEVELS.keys()),
    // What is exempt may be weighed by operators.
    correct: (wanted, stored) => {
      const { exempt } = (stored as PriorityLevelConfiguration).spec ?? {};
      return wanted.metadata?.name === 'exempt' && exempt !== undefined ? { ...wanted.spec, exempt } : wanted.spec;
    },
  });
  await ensureKind(server, FLOW_SCHEMAS, {
    wanted: FLOW_SCHEMA_OBJECTS,
    mandatory: new Set(MANDATORY_FLOW_SCHEMAS.keys()),
    correct: (wanted) => wanted.spec,
  });
}

async function ensureKind(server: Connection, row: ResourceRow, kept: Omit<FlowObjectsInput, 'stored'>): Promise<void> {
  const collection = `${rootPath(row)}/${row.resource}`;
  const { items } = await send(server, 'GET', collection);
  const wanted = kept.wanted.map((object) => {
    const draft = structuredClone(object);
    row.rules?.setDefaults?.(draft);
    return draft;
  });
  for (const step of planFlowObjects({ ...kept, stored: items ?? [], wanted })) await carryOut(server, row, step);
}

async function carryOut(server: Connection, row: ResourceRow, step: FlowObjectStep): Promise<void> {
  const collection = `${rootPath(row)}/${row.resource}`;
  if (step.kind === 'delete') {
    const { uid, resourceVersion } = step;
    await send(server, 'DELETE', `${collection}/${step.name}`, { preconditions: { uid, resourceVersion } });
    return;
  }
  const { object } = step;
  // One that lies damaged in the store is in no list, and is written over.
  if (step.kind === 'create') return ensureObject(server, row, object);
  await send(server, 'PUT', `${collection}/${object.metadata?.name}`, object);
}

/** Throws for every answer but success, "gone already" and "changed meanwhile". */
async function send(
  server: Connection,
  method: string,
  url: string,
  body?: object,
): Promise<{ readonly items?: readonly FlowObject[] }> {
  const answer = await server.request({
    method,
    url,
    headers: OWN_HEADERS,
    ...(body === undefined ? {} : { body: encodeText(JSON.stringify(body)) }),
  });
  const text = decodeText(await readAll(answer.body, MAX_REQUEST_BODY_BYTES));
  if (answer.status >= 300 && answer.status !== 404 && answer.status !== 409)
    throw new Error(`flow control not kept: ${method} ${url}: ${answer.status}: ${text}`);
  return JSON.parse(text) as { readonly items?: readonly FlowObject[] };
}
