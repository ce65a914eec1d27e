/** Apart from the studio itself, which only its own page has to load. */

export const studioAddress = (name: string): string => `/studio?${new URLSearchParams({ plan: name })}`;
export const copyAddress = (planId: string): string => `/studio?${new URLSearchParams({ copy: planId })}`;
