/** `mendlet dashboard`: a link to the page that the server serves, or the page itself, with the user's own credentials. */
import { readFileSync } from 'node:fs';
import { DASHBOARD_PATH, type DashboardWish, SELF_SUBJECT_REVIEWS, type SelfSubjectReview } from '../api/index.ts';
import { type ClusterSession, type DashboardFlags, exitCodes, type ListenAddress } from '../cli/index.ts';
import type { Viewer } from '../dashboard/index.ts';
import { decodeText, encodeText, errorMessage, readAll, visibleLine } from '../lib/index.ts';
import { createLogger } from '../lib/logger.node.ts';
import { certificateFacts } from './certificate-facts.node.ts';
import type { MainContext } from './context.ts';
import { isReached, openBrowser } from './dashboard-link.node.ts';
import { type KeyAndCertificate, serveDashboard } from './serve-dashboard.ts';
import { aborted } from './until-aborted.ts';
import { UserError } from './user-error.ts';
import { kubeconfigOf, withCluster } from './with-cluster.ts';

/** @throws UserError; a page that is served here ends with the context's signal */
export async function dashboard(options: DashboardFlags, context: MainContext): Promise<void> {
  const { namespace, kubeconfig, context: chosen } = options;
  const choice = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(chosen === undefined ? {} : { context: chosen }),
  };
  await withCluster(
    choice,
    async (session) => {
      const wish = { write: options.write === true, ...(namespace === undefined ? {} : { namespace }) };
      const isHere = options.listen !== undefined || options.port !== undefined;
      const link = isHere ? undefined : await serversLink(session, wish);
      if (link === undefined) await serveHere(session, options, wish, context);
      else await tell(link, options, context);
      return exitCodes.done;
    },
    context,
  );
}

/** From a server that serves the page where this machine reaches it. */
async function serversLink({ connection, signal }: ClusterSession, wish: DashboardWish): Promise<string | undefined> {
  const { status, body } = await connection.request({
    method: 'POST',
    url: DASHBOARD_PATH,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: encodeText(JSON.stringify(wish)),
    signal,
  });
  const text = decodeText(await readAll(body, 64 * 1024));
  if (status !== 201) {
    // Servers that know nothing of the page say 403, 404 or 405; nobody else could serve it to who is not known, either.
    if (status === 401 || status === 429) throw new UserError(visibleLine(messageOf(text)));
    return undefined;
  }
  const { url, origin } = linkOf(text);
  return url !== undefined && origin !== undefined && (await isReached(origin)) ? url : undefined;
}

function linkOf(text: string): { readonly url?: string; readonly origin?: string } {
  try {
    const { url, origin } = JSON.parse(text) as Record<string, unknown>;
    return typeof url === 'string' && typeof origin === 'string' ? { url, origin } : {};
  } catch {
    return {};
  }
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

/** The page as a proxy of this machine: what it asks goes with the user's own credentials. */
async function serveHere(
  session: ClusterSession,
  options: DashboardFlags,
  wish: DashboardWish,
  context: MainContext,
): Promise<void> {
  const listen: ListenAddress = options.listen ?? { host: '127.0.0.1', port: options.port ?? 0 };
  const viewer = await viewerOf(session);
  await using stack = new AsyncDisposableStack();
  const tls = tlsOf(options);
  const { dashboard: page } = await serveDashboard(
    { clock: session.clock, logger: createLogger({ format: 'text' }) },
    {
      listen,
      flag: options.listen === undefined ? '--port' : '--listen',
      ...(tls === undefined ? {} : { tls }),
      cluster: options.context ?? kubeconfigOf(options, context),
    },
    stack,
  );
  const print = async (): Promise<void> => {
    const link = page.link(viewer, wish);
    if (link !== undefined) await tell(link.url, options, context);
  };
  await print();
  const silence = context.screen?.keys?.((typed) => {
    if (/[\r\n]/.test(typed)) void print();
  });
  context.err(`The page is served here until Ctrl-C${silence === undefined ? '' : '; Enter prints another link'}.\n`);
  try {
    await aborted(context.stop);
  } finally {
    silence?.();
  }
}

/** Who the user is, as the server says it; older ones do not. */
async function viewerOf({ client, connection, signal }: ClusterSession): Promise<Viewer> {
  const question: SelfSubjectReview = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: {},
  };
  const review = await client.create(SELF_SUBJECT_REVIEWS, question, signal).catch(() => undefined);
  const name = review?.status?.userInfo?.username ?? 'you';
  return { name, key: name, connection, client, readCertificate: certificateFacts };
}

/** @throws UserError */
function tlsOf({ tlsCert, tlsKey }: DashboardFlags): KeyAndCertificate | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    return { certificatePem: readFileSync(tlsCert, 'utf8'), keyPem: readFileSync(tlsKey, 'utf8') };
  } catch (error) {
    throw new UserError(errorMessage(error), { cause: error });
  }
}

/** The link is a secret for a minute: it goes to standard output, and nowhere else. */
async function tell(url: string, { open, write }: DashboardFlags, context: MainContext): Promise<void> {
  context.out(`${url}\n`);
  context.err(
    `The link works once, within a minute${write === true ? '' : '; the page is read-only (--write opens it for acts)'}.\n`,
  );
  if (open !== true) return;
  const problem = await openBrowser(url, context.user.env, context.stop);
  if (problem !== undefined) context.err(`mendlet: no browser was opened: ${problem}\n`);
}
