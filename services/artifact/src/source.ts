/** The CloudEvents source of everything this service publishes. */
export const SOURCE = 'artifact'
