import { eventBusContract } from '../src/contract.js'
import { postgresFixture } from './postgres-fixture.js'

eventBusContract('Postgres log', postgresFixture, { transactional: true })
