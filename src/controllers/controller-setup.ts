/** The settings of the control plane's controllers, and the parts that each of them gets. */
import type { Candidacy } from '../client/index.ts';
import type { AttachDetachSettings } from './attach-detach/settings.ts';
import type { CertificateSigner } from './certificates/certificate-signer.ts';
import type { KubeletConnections } from './local-volumes/node-volumes.ts';
import type { Refusals } from './healing/other-nodes.ts';
import type { NodeIpamSettings } from '../network/index.ts';
import type { NoticeSender } from './notifications/notice-sender.ts';
import type { NodeLifecycleSettings } from './node-lifecycle/settings.ts';
import type { SetOptions, SetParts } from './run-set.ts';

/** Volumes that are folders of nodes. */
export interface LocalVolumesSettings {
  /** Of the StorageClass that is created for them. */
  readonly className: string;
  /** The way to the kubelets that make and remove the folders. */
  readonly connectionOf: KubeletConnections;
}

export interface ControllersSettings {
  /** PEM of the CA that signed the API server's certificate. */
  readonly caCertificate: string;
  /** Signs certificates for CertificateSigningRequests. Absent: approved requests wait. */
  readonly certificateSigner?: CertificateSigner;
  /** One of several: controllers run only while this process leads. Absent: it is the only one. */
  readonly leaderElection?: Candidacy;
  /** When nodes count as lost, and how fast they are emptied. Absent: upstream's defaults. */
  readonly nodeLifecycle?: NodeLifecycleSettings;
  /** The node in this process, if any: that it can be heard says nothing about the network. */
  readonly ownNodeName?: string;
  /** False: another controller gives services of type LoadBalancer their addresses. */
  readonly loadBalancers?: boolean;
  /** False: another process runs the healing controllers. */
  readonly healing?: boolean;
  /** Sends the messages of notifications, beside the healing controllers. Absent: none are sent. */
  readonly sendNotices?: NoticeSender;
  /** The scheduler's filters, for the healing controllers. Absent: these take for granted that there is room on other nodes. */
  readonly refusals?: Refusals;
  /** Gives each node its own part of the cluster's pod network. Absent: nodes bring their own. */
  readonly nodeIpam?: NodeIpamSettings;
  /** Absent: another controller has volumes attached, or nobody does. */
  readonly attachDetach?: AttachDetachSettings;
  /** Absent: nobody makes volumes here. */
  readonly localVolumes?: LocalVolumesSettings;
}

/** The parts that controllers get. */
export interface ControllerSetup extends SetOptions, SetParts {
  readonly settings: ControllersSettings;
}
