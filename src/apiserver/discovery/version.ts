/** /version: the version of the server (upstream: version.Info). */
import { jsonResponse } from '../http/respond.ts';
import type { HttpResponse } from '../../lib/index.ts';

export interface ServerVersion {
  /** "v1.36.4+mendlet.0.1.0" */
  readonly gitVersion: string;
  readonly gitCommit?: string;
  /** RFC 3339. */
  readonly buildDate?: string;
  /** "linux/amd64" */
  readonly platform?: string;
}

export function versionResponse(version: ServerVersion): HttpResponse {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version.gitVersion) ?? [];
  return jsonResponse(200, {
    major,
    minor,
    gitVersion: version.gitVersion,
    gitCommit: version.gitCommit ?? '',
    gitTreeState: 'clean',
    buildDate: version.buildDate ?? '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: version.platform ?? '',
  });
}
