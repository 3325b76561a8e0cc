/**
 * The path at which a user gets a one-time link to the live page: POST /mendlet/v1/dashboard. Whoever the API server knows may ask
 * for one; the page then shows, and does, what this user may.
 */
import {
  badRequest,
  checkDns1123Label,
  type DashboardLinkAnswer,
  type DashboardWish,
  forbidden,
  notFoundPath,
  tooManyRequests,
} from '../api/index.ts';
import { decodeText, type HttpResponse, type UserInfo } from '../lib/index.ts';
import { jsonResponse } from './http/respond.ts';

/** 'none': no dashboard is served; 'full': too many links wait to be used. */
export type DashboardLinks = (user: UserInfo, wish: DashboardWish) => DashboardLinkAnswer | 'none' | 'full';

/** @throws StatusError 400, 403, 404 or 429 */
export function dashboardLinkResponse(
  links: DashboardLinks,
  user: UserInfo | undefined,
  body: Uint8Array | undefined,
): HttpResponse {
  // The policy gives this right to known users alone; an administrator's mistake must not open the page to strangers.
  if (user === undefined || !user.groups.includes(AUTHENTICATED))
    throw forbidden(undefined, '', 'strangers get no link to the live page');
  const link = links(user, wishOf(body));
  if (link === 'none') throw notFoundPath();
  if (link === 'full') throw tooManyRequests('too many links to the live page wait to be used; try again later', 60);
  return jsonResponse(201, { apiVersion: 'mendlet.dev/v1alpha1', kind: 'DashboardLink', ...link });
}

const AUTHENTICATED = 'system:authenticated';

/** @throws StatusError 400 */
function wishOf(body: Uint8Array | undefined): DashboardWish {
  if (body === undefined || body.length === 0) return { write: false };
  const { write = false, namespace, ...others } = parsed(body);
  const [other] = Object.keys(others);
  if (other !== undefined) throw badRequest(`unknown field ${JSON.stringify(other.slice(0, 100))}`);
  if (typeof write !== 'boolean') throw badRequest('write: must be true or false');
  if (namespace === undefined) return { write };
  const problem = typeof namespace === 'string' ? checkDns1123Label(namespace)[0] : 'must be text';
  if (problem !== undefined) throw badRequest(`namespace: ${problem}`);
  return { write, namespace: namespace as string };
}

function parsed(body: Uint8Array): Record<string, unknown> {
  try {
    const value = JSON.parse(decodeText(body)) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw badRequest('the body must be a JSON object, as {"write": false, "namespace": "shop"}');
}
