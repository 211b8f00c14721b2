import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { Body, Item, Sent } from '../api/types'
import { type ListPage, pagedQuery } from '../shell/paged-list'

export type Subscription = Sent<Item<Body<'listSubscriptions'>>, 'filter' | 'digest'>
export type Delivery = Sent<Item<Body<'listNotifications'>>>
export type DeliveryDetail = Sent<Body<'getNotification'>>
export type DeliveryAttempt = Sent<NonNullable<Body<'getNotification'>['attempts']>[number]>
export type Statistics = Sent<Body<'getSubscriptionStatistics'>>

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export interface DeliveryFilter {
  subscription?: string
  status: readonly DeliveryStatus[]
}

export const subscriptionsQuery = (api: Api) =>
  pagedQuery(
    [api.project, 'notifications', 'subscriptions'],
    (query) => read(api.client.GET('/api/v1/subscriptions', { params: { query } })) as Promise<ListPage<Subscription>>,
  )

export const subscriptionQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.project, 'notifications', 'subscription', id],
    queryFn: () =>
      read(api.client.GET('/api/v1/subscriptions/{id}', { params: { path: { id } } })) as Promise<Subscription>,
  })

export const statisticsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.project, 'live', 'notifications', 'statistics', id],
    queryFn: () =>
      read(
        api.client.GET('/api/v1/subscriptions/{id}/statistics', { params: { path: { id } } }),
      ) as Promise<Statistics>,
  })

/** Below `live`: what ends in the project is what is notified of. */
export const deliveriesQuery = (api: Api, { subscription, status }: DeliveryFilter) =>
  pagedQuery([api.project, 'live', 'notifications', 'deliveries', subscription ?? '', status.join()], (page) => {
    const query = {
      ...page,
      ...(subscription === undefined ? {} : { subscription }),
      ...(status.length === 0 ? {} : { status: [...status] }),
    }
    return read(api.client.GET('/api/v1/notifications', { params: { query } })) as Promise<ListPage<Delivery>>
  })

const pendingMs = 1_000

/** Asked for again every second until it has been delivered or has failed. */
export const deliveryQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.project, 'live', 'notifications', 'delivery', id],
    queryFn: () =>
      read(api.client.GET('/api/v1/notifications/{id}', { params: { path: { id } } })) as Promise<DeliveryDetail>,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? pendingMs : false),
  })
