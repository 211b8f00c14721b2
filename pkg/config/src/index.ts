export * from './fields.js'
export * from './read-config.js'
