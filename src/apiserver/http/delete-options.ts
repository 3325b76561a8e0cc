/** The options of a DELETE, from its body and its query (upstream: DeleteOptions). */
import { badRequest, invalid, invalidValue, notSupported } from '../../api/index.ts';
import type { HttpRequest } from '../../lib/index.ts';
import type { Propagation } from '../registry/deletion.ts';
import { isRecord } from '../registry/object.ts';
import type { Removal } from '../verbs/write.ts';
import { parseOptionalObject } from './body.ts';
import { readWriteOptions } from './write-options.ts';

/** Upstream: DeleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential (KEP-3926). */
const IGNORE_STORE_READ_ERROR = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const PROPAGATION_POLICIES: readonly Propagation[] = ['Foreground', 'Background', 'Orphan'];

/** Throws 400 for what can not be read, 422 for values that mean nothing. */
export function readDeleteOptions(request: HttpRequest, query: URLSearchParams): Removal {
  const body = parseOptionalObject(request) ?? {};
  const preconditions = isRecord(body['preconditions']) ? body['preconditions'] : {};
  const propagation = readPropagation(
    body['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined,
    body['orphanDependents'] ?? query.get('orphanDependents') ?? undefined,
  );
  return {
    ...(propagation === undefined ? {} : { propagation }),
    gracePeriodSeconds: readGrace(body['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined),
    uid: readText(preconditions['uid'], 'preconditions.uid'),
    resourceVersion: readText(preconditions['resourceVersion'], 'preconditions.resourceVersion'),
    dryRun: readWriteOptions(query, 'DeleteOptions', body['dryRun']).dryRun,
    ignoreStoreReadError:
      readFlag(
        body[IGNORE_STORE_READ_ERROR] ?? query.get(IGNORE_STORE_READ_ERROR) ?? undefined,
        IGNORE_STORE_READ_ERROR,
      ) ?? false,
  };
}

function readGrace(value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  const seconds = typeof value === 'string' ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isSafeInteger(seconds)) return seconds;
  throw badRequest(`invalid gracePeriodSeconds: ${JSON.stringify(value)}`);
}

function readText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [invalidValue(field, value, 'must be a string')]);
}

/** The propagation to dependents; `orphanDependents` is the old way to say it. Undefined: the kind's default. */
function readPropagation(policy: unknown, orphanDependents: unknown): Propagation | undefined {
  const orphan = readFlag(orphanDependents, 'orphanDependents');
  if (policy === undefined || policy === null || policy === '') {
    if (orphan === undefined) return undefined;
    return orphan ? 'Orphan' : 'Background';
  }
  const options = { group: 'meta.k8s.io', kind: 'DeleteOptions' };
  if (orphan !== undefined) {
    const text = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalid(options, '', [invalidValue('propagationPolicy', policy, text)]);
  }
  const known = PROPAGATION_POLICIES.find((name) => name === policy);
  if (known !== undefined) return known;
  throw invalid(options, '', [notSupported('propagationPolicy', policy, [...PROPAGATION_POLICIES, 'nil'])]);
}

function readFlag(value: unknown, field: string): boolean | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw badRequest(`invalid ${field}: ${JSON.stringify(value)}`);
}
