/** kubelet: the node agent. Door: its ports and how to build one. Walk it with docs/follow-a-pod.md. */
export { createKubelet, type Kubelet } from './kubelet.ts';
export { type ParsedConfiguration, parseConfiguration } from './kubelet-configuration/parse-configuration.ts';
export { newNode, type Registration } from './node/node-object.ts';
export type { KubeletConfig } from './configuration.ts';
export type * from './figures.ts';
export * from './ports.ts';
export { type AccessControl, createAccessControl } from './server/access-control.ts';
export { guardConnection } from './server/guarded-connection.ts';
export { DEFAULT_SETTINGS, type KubeletSettings } from './settings.ts';
export type { PodDirectory, PodObservation, PodView } from './types.ts';
export { INSTANCE_LABEL } from './pods/ownership.ts';
export { graceOf } from './plan/labels.ts';
export { mountsUnder, parseMountPoints } from './volumes/mount-table.ts';
export { volumeRecords, VOLUMES_MARKER, volumesFolderRecord } from './local-volumes/places.ts';
export { parseEntry } from './local-volumes/ledger.ts';
export { isVolumeName } from './local-volumes/volume-request.ts';
export { containerLogsDir, folderOfTarget, LOG_OWNER_FILE, uidOfLogFolder } from './pods/log-names.ts';
