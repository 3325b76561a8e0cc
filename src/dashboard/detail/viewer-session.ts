/** The session of a verb that works for a viewer: it prints nowhere, unless what it prints is wanted. */
import type { ClusterSession } from '../../cli/index.ts';
import type { Clock } from '../../lib/index.ts';
import type { Viewer } from '../ports.ts';

export interface VerbFrame {
  readonly clock: Clock;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Absent: what it prints is dropped. */
  readonly print?: (text: string) => void;
}

export function viewerSession({ client, connection, readCertificate }: Viewer, frame: VerbFrame): ClusterSession {
  const { clock, namespace, signal, print = () => {} } = frame;
  return {
    client,
    connection,
    namespace,
    clock,
    signal,
    out: print,
    err: print,
    outRaw: (data) => print(typeof data === 'string' ? data : new TextDecoder().decode(data)),
    isTerminal: false,
    columns: undefined,
    readCertificate,
  };
}
