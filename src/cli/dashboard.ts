/** Defines the verb `mendlet dashboard`; `main` implements it. */
import { Command, Option } from 'commander';
import { type ClusterChoice, withClusterFlags } from './cluster-session.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { valueOf } from './flag-parser.ts';
import { type ListenAddress, parseListen } from './flag-values.ts';
import { parseCount } from './node-values.ts';
import { UsageError } from './usage-error.ts';

export interface DashboardFlags extends ClusterChoice {
  /** Open the link in the browser. */
  readonly open?: boolean;
  /** The page may act. */
  readonly write?: boolean;
  /** Of a page served by this command. */
  readonly port?: number;
  readonly listen?: ListenAddress;
  /** PEM files. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const help = `
Examples:
  mendlet dashboard                    print a link to the live page; it works once, within a minute
  mendlet dashboard --open             open it in the browser
  mendlet dashboard -n shop            one namespace, for who may not see all
  mendlet dashboard --write            the page may also restart, pause and resume, as far as you may
  mendlet dashboard --port 8080        serve the page here, with the credentials of your kubeconfig
  ssh -L 8080:127.0.0.1:8080 HOST      and then, on HOST, the line above: the page of another machine

"mendlet up" and "mendlet server" serve the page themselves, on a port of its own on loopback: for these the command prints a
link and ends. For any other cluster, or one on another machine, it serves the page itself until Ctrl-C, and asks the API server
with the credentials of your kubeconfig. Enter prints another link then.

Whoever opens the page sees what you may see, and nothing else: RBAC decides, as for kubectl. The page is read-only without
--write. Beyond loopback (--listen) it is served only with TLS: give --tls-cert and --tls-key.

${exitCodesHelp}`;

/** @param run implements the verb */
export function dashboardCommand(run: (options: DashboardFlags) => Promise<void>): Command {
  return withClusterFlags(new Command('dashboard'))
    .summary('open the live page: how all pods are, why they died, what happens next')
    .description('Prints a one-time link to the live page, and serves the page where nobody else does.')
    .addOption(new Option('--open', 'open the link in the browser'))
    .addOption(new Option('--write', 'the page may act: restart, try now, pause and resume healing'))
    .addOption(
      new Option('--port <N>', 'serve the page here, on this port of loopback (0: any)').argParser(valueOf(parsePort)),
    )
    .addOption(
      new Option('--listen <HOST:PORT>', 'serve the page here, on this address').argParser(valueOf(parseListen)),
    )
    .addOption(new Option('--tls-cert <FILE>', 'certificate of a page served here, PEM'))
    .addOption(new Option('--tls-key <FILE>', 'its key, PEM'))
    .addHelpText('after', help)
    .action(async (options: DashboardFlags) => {
      checkTogether(options);
      await run(options);
    });
}

/** @throws UsageError */
function parsePort(text: string): number {
  const port = parseCount(text);
  if (port > 65_535) throw new UsageError('A port is at most 65535.');
  return port;
}

/** @throws UsageError */
function checkTogether({ port, listen, tlsCert, tlsKey }: DashboardFlags): void {
  if (port !== undefined && listen !== undefined)
    throw new UsageError('--listen has a port of its own: leave out --port.');
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new UsageError('--tls-cert and --tls-key go together.');
  if (tlsCert !== undefined && listen === undefined) throw new UsageError('--tls-cert goes with --listen.');
}
