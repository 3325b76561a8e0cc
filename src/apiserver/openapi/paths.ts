/** The operations of the served resources: enough for a client to see what it may do and with which parameters. */
import { type ResourceRow, schemaOf, type Verb } from '../../api/index.ts';

export interface QueryParameter {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'integer';
}

export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly action: string;
  readonly id: string;
  readonly parameters: readonly QueryParameter[];
  /** Media types of the body. */
  readonly consumes: readonly string[];
}

export interface PathOperations {
  readonly path: string;
  readonly row: ResourceRow;
  readonly operations: readonly Operation[];
}

const dryRun: QueryParameter = { name: 'dryRun', type: 'string' };
const fieldManager: QueryParameter = { name: 'fieldManager', type: 'string' };
const fieldValidation: QueryParameter = { name: 'fieldValidation', type: 'string' };
const writeParameters = [dryRun, fieldManager, fieldValidation];
const listParameters: readonly QueryParameter[] = [
  { name: 'allowWatchBookmarks', type: 'boolean' },
  { name: 'continue', type: 'string' },
  { name: 'fieldSelector', type: 'string' },
  { name: 'labelSelector', type: 'string' },
  { name: 'limit', type: 'integer' },
  { name: 'resourceVersion', type: 'string' },
  { name: 'resourceVersionMatch', type: 'string' },
  { name: 'sendInitialEvents', type: 'boolean' },
  { name: 'timeoutSeconds', type: 'integer' },
  { name: 'watch', type: 'boolean' },
];
const deleteParameters: readonly QueryParameter[] = [
  dryRun,
  { name: 'gracePeriodSeconds', type: 'integer' },
  { name: 'propagationPolicy', type: 'string' },
];

export const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];
/** Without the one that needs Kubernetes' own types. */
const CUSTOM_PATCH_TYPES: readonly string[] = PATCH_TYPES.slice(0, 2);
const OBJECT_TYPES: readonly string[] = ['application/json', 'application/yaml'];

type Template = Omit<Operation, 'id'> & { readonly verb: Verb };

const collectionOperations: readonly Template[] = [
  { verb: 'list', method: 'get', action: 'list', parameters: listParameters, consumes: [] },
  { verb: 'create', method: 'post', action: 'post', parameters: writeParameters, consumes: OBJECT_TYPES },
  {
    verb: 'deletecollection',
    method: 'delete',
    action: 'deletecollection',
    parameters: [...listParameters, ...deleteParameters],
    consumes: OBJECT_TYPES,
  },
];

const objectOperations: readonly Template[] = [
  { verb: 'get', method: 'get', action: 'get', parameters: [], consumes: [] },
  { verb: 'update', method: 'put', action: 'put', parameters: writeParameters, consumes: OBJECT_TYPES },
  {
    verb: 'patch',
    method: 'patch',
    action: 'patch',
    parameters: [...writeParameters, { name: 'force', type: 'boolean' }],
    consumes: PATCH_TYPES,
  },
  { verb: 'delete', method: 'delete', action: 'delete', parameters: deleteParameters, consumes: OBJECT_TYPES },
];

/** "/api/v1" or "/apis/G/V". */
export function rootPath(row: { readonly group: string; readonly version: string }): string {
  return row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
}

/** The paths of one resource: its collections and its objects. */
export function pathsOf(row: ResourceRow): readonly PathOperations[] {
  const root = rootPath(row);
  const base = row.namespaced ? `${root}/namespaces/{namespace}/${row.resource}` : `${root}/${row.resource}`;
  const paths = [
    { path: base, row, operations: pick(row, collectionOperations, base) },
    { path: `${base}/{name}`, row, operations: pick(row, objectOperations, `${base}/{name}`) },
  ];
  if (row.namespaced) {
    const everywhere = `${root}/${row.resource}`;
    paths.push({ path: everywhere, row, operations: pick(row, collectionOperations.slice(0, 1), everywhere) });
  }
  return paths.filter((entry) => entry.operations.length > 0);
}

function pick(row: ResourceRow, templates: readonly Template[], path: string): Operation[] {
  return templates
    .filter((template) => row.verbs.includes(template.verb))
    .map(({ verb, ...operation }) => ({
      ...operation,
      ...(verb === 'patch' && schemaOf(row).patchSteps === undefined ? { consumes: CUSTOM_PATCH_TYPES } : {}),
      id: `${verb}${path.replaceAll(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    }));
}
