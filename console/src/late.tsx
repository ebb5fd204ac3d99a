// A part of the page that loads on first use.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Wraps the import of a component. */
export function late<Props extends object = object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Late(props) {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded)
    const [isFailed, setIsFailed] = useState(false)
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        part => {
          loaded = part
          setPart(() => part)
        },
        () => setIsFailed(true),
      )
    }, [])
    if (isFailed) return <p class="panel">A part of the page could not be loaded: reload the page.</p>
    return Part === undefined ? <div class="panel late" aria-busy="true" /> : <Part {...props} />
  }
}
