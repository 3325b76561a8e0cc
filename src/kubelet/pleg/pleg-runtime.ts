/** The calls that PLEG makes to the runtime: it only reads. */
import type { RuntimeService } from '../../cri/index.ts';

export type PlegRuntime = Pick<
  RuntimeService,
  'listSandboxes' | 'listContainers' | 'sandboxStatus' | 'containerStatus' | 'events'
>;
