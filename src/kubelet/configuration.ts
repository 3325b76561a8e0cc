/** The configuration of one node agent: names, folders, addresses, settings. */
import type { NodeIdentity } from './node/node-object.ts';
import type { KubeletSettings } from './settings.ts';
import type { ApiServerAddress } from './types.ts';

export interface KubeletConfig {
  readonly nodeName: string;
  /** Names this mendlet on a shared runtime socket: only sandboxes labelled with it are ours. */
  readonly instanceId: string;
  /** `DIR/agent`. Pod folders in `pods/UID`, memory files beside. */
  readonly rootDir: string;
  /** `/var/log/pods` as root. */
  readonly podLogsDir: string;
  /**
   * The address at which pods reach the API server: KUBERNETES_SERVICE_HOST and _PORT. Absent: they cannot reach it, and get
   * no such variables.
   */
  readonly apiServer?: ApiServerAddress;
  /** What its Node object says, beside its name. */
  readonly node: Pick<NodeIdentity, 'podCidr' | 'version' | 'daemonPort' | 'registration'>;
  /** Absent: `DEFAULT_SETTINGS`. */
  readonly settings?: KubeletSettings;
  /** Others use the runtime, too: their images are left alone. */
  readonly sharedRuntime?: boolean;
}
