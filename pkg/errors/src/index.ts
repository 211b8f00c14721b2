export * from './app-error.js'
export * from './assert-never.js'
export * from './backoff.js'
export * from './codes.js'
