/** etcd: lines in JSON, or "C | etcdmain: …" of older versions. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const etcd: Dialect = {
  name: 'etcd',
  recognises: /\betcd(?:main|server|http)?: |"caller":"(?:etcdmain|etcdserver|embed|membership|raft)|\betcd Version: /,
  noise: anyOf(
    /^(?:etcd Version|Git SHA|Go (?:Version|OS)|setting maximum number of CPUs|the server is already initialized as member|recognized and used environment|unrecognized environment|etcdmain: (?:etcd Version|Git SHA|Go |setting maximum))/i,
    /^usage:/i,
    /^If the data directory/i,
  ),
  consequence: /stopping (?:listening|etcd)|closed etcd server|^forgot to set Type=notify/,
  recovery: /ready to serve client requests|serving (?:insecure )?client requests|became leader|elected leader/,
  request: /health check for peer .* could not connect|rejected connection from|prober|request .* took too long/,
};
