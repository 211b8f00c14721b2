// Run by the image when its volume is empty: the one account that Millrace uses, for its one database.
db.getSiblingDB('millrace').createUser({
  user: 'metadata',
  pwd: process.env.METADATA_MONGO_PASSWORD,
  roles: [{ role: 'readWrite', db: 'millrace' }],
})
