/** What PLEG asks of the runtime: it only ever looks. */
import type { RuntimeService } from '../../cri/index.ts';

export type PlegRuntime = Pick<
  RuntimeService,
  'listSandboxes' | 'listContainers' | 'sandboxStatus' | 'containerStatus' | 'events'
>;
