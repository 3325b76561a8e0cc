/**
 * dashboard: the server behind the live page: who may look, what each sees, the stream of changes, details, logs and acts. It has no
 * sockets; its adapter has.
 */
export { type Place } from './access/place.ts';
export { Dashboard, type DashboardLink, type DashboardOptions } from './dashboard.ts';
export type { Asset, DashboardPorts, LinkWish, PageFiles, Secrets, Viewer } from './ports.ts';
