/** How a user asks the API server for a one-time link to the live page. Pure. */

/** POST, with a `DashboardWish`. */
export const DASHBOARD_PATH = '/mendlet/v1/dashboard';

export interface DashboardWish {
  /** The page may act, as far as the user may. */
  readonly write: boolean;
  /** The page shows this namespace alone. */
  readonly namespace?: string;
}

/** A part of the answer, whose kind is `DashboardLink`. */
export interface DashboardLinkAnswer {
  /** With the code, for one use within a minute. */
  readonly url: string;
  /** "http://mendlet-0123.localhost:41234" */
  readonly origin: string;
}
